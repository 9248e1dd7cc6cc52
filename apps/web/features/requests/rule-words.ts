import type { Fact, RuleFacts } from "@countersign/domain/validate/explain-reasons";
import type { LoggedRule } from "@countersign/domain/validate/why";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { timeInWords } from "./request-time.tsx";

export type ExplainedRule = Answer<"explainLicense">["rules"][number];

/** What a rule looked at, as a sentence in the reader's language. */
export function useRuleWords() {
  const { t, i18n } = useTranslation("explain");
  const inWords = (facts: RuleFacts) =>
    Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, words(name, fact)]));
  const words = (name: string, fact: Fact): string => {
    if (fact === null) return "–";
    if (Array.isArray(fact)) return fact.join(", ");
    if (typeof fact === "number") return fact.toLocaleString(i18n.language);
    if (name === "level") return t(`levels.${fact}`);
    if (name === "state") return t(`states.${fact}`, { defaultValue: String(fact) });
    return typeof fact === "string" && isTime(name) ? timeInWords(fact, i18n.language) : String(fact);
  };
  return {
    nameOf: (rule: string) => t(`rules.${rule}`, { defaultValue: rule }),
    /** A reason that this dashboard does not know yet is in English. */
    ofExplained: ({ reason, facts, message }: ExplainedRule) =>
      t(`reasons.${reason}`, { ...inWords(facts), defaultValue: message }),
    /** Only refusals were logged with their facts. */
    ofLogged: ({ rule, result, facts }: LoggedRule): string | null => {
      if (result !== "refused") return null;
      const isSuggested = rule === "version_not_allowed" && facts.suggested_version !== null;
      return t(`then.${isSuggested ? "version_suggested" : rule}`, inWords(facts));
    },
  };
}

function isTime(name: string): boolean {
  return /_at$|^(at|since|until)$/.test(name);
}
