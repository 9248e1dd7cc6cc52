import type { Fact, RuleFacts } from "@countersign/domain/validate/explain-reasons";
import type { LoggedRule } from "@countersign/domain/validate/why";
import { Badge, VisuallyHidden } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { timeInWords } from "./request.tsx";
import classes from "./rule-list.module.css";

type RuleState = "passed" | "refused" | "not_reached" | "does_not_apply";

interface ShownRule {
  readonly rule: string;
  readonly name: string;
  readonly state: RuleState;
  readonly words: string | null;
  /** The first that refuses. */
  readonly isDeciding: boolean;
  readonly hasChanged?: boolean;
}

const icons: Record<RuleState, IconName> = {
  passed: "check",
  refused: "block",
  not_reached: "minus",
  does_not_apply: "minus",
};

/** The rules of validation in order, each with its result and the fact that it looked at. */
export function RuleList({ label, rules }: { label: string; rules: readonly ShownRule[] }) {
  const { t } = useTranslation(["explain", "requests"]);
  return (
    <ol className={classes.rules} aria-label={label}>
      {rules.map(({ rule, name, state, words, isDeciding, hasChanged = false }) => (
        <li
          key={rule}
          className={classes.rule}
          data-state={state}
          data-deciding={isDeciding || undefined}
          data-plain={words === null || undefined}
        >
          <span className={classes.icon}>
            <Icon name={icons[state]} size={16} />
          </span>
          <span className={classes.name}>{name}</span>
          <div className={classes.words}>
            {isDeciding || words === null ? (
              <span className={classes.state}>{t(`results.${state}`)}</span>
            ) : (
              <VisuallyHidden>{t(`results.${state}`)}: </VisuallyHidden>
            )}
            {words !== null && <> {words}</>}
            {hasChanged && (
              <>
                {" "}
                <Badge>{t("requests:one.changed")}</Badge>
              </>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

export type ExplainedRule = Answer<"explainLicense">["rules"][number];

/** What a rule looked at, as a sentence in the reader's language. */
export function useRuleWords() {
  const { t, i18n } = useTranslation("explain");
  const inWords = (facts: RuleFacts) =>
    Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, factText(name, fact)]));
  const factText = (name: string, fact: Fact): string => {
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

type Words = ReturnType<typeof useRuleWords>;

/** The rules of a request in the log. */
export function rulesThen(rules: readonly LoggedRule[], ruleText: Words): ShownRule[] {
  return rules.map((one) => ({
    rule: one.rule,
    name: ruleText.nameOf(one.rule),
    state: one.result,
    words: ruleText.ofLogged(one),
    isDeciding: one.result === "refused",
  }));
}

/** The rules of a hypothetical request, marked where they now decide otherwise than they did. */
export function rulesNow(
  rules: readonly ExplainedRule[],
  ruleText: Words,
  then: readonly LoggedRule[] = [],
): ShownRule[] {
  const deciding = rules.find(({ passed }) => passed === false);
  return rules.map((one) => ({
    rule: one.rule,
    name: ruleText.nameOf(one.rule),
    state: stateOf(one),
    words: ruleText.ofExplained(one),
    isDeciding: one === deciding,
    hasChanged: hasChanged(one, then),
  }));
}

function stateOf({ passed }: ExplainedRule): RuleState {
  if (passed === null) return "does_not_apply";
  return passed ? "passed" : "refused";
}

/** What a rule that was not reached would have decided is not known. */
function hasChanged({ rule, passed }: ExplainedRule, then: readonly LoggedRule[]): boolean {
  const before = then.find((one) => one.rule === rule);
  if (before === undefined || before.result === "not_reached") return false;
  return (before.result === "refused") !== (passed === false);
}
