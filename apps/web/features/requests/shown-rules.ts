import type { LoggedRule } from "@countersign/domain/validate/why";
import type { ExplainedRule, RuleState, ShownRule, useRuleWords } from "./rule-list.tsx";

type Words = ReturnType<typeof useRuleWords>;

/** The rules of a request in the log. */
export function rulesThen(rules: readonly LoggedRule[], words: Words): ShownRule[] {
  return rules.map((one) => ({
    rule: one.rule,
    name: words.nameOf(one.rule),
    state: one.result,
    words: words.ofLogged(one),
    isDeciding: one.result === "refused",
  }));
}

/** The rules of a hypothetical request, marked where they now decide otherwise than they did. */
export function rulesNow(
  rules: readonly ExplainedRule[],
  words: Words,
  then: readonly LoggedRule[] = [],
): ShownRule[] {
  const deciding = rules.find(({ passed }) => passed === false);
  return rules.map((one) => ({
    rule: one.rule,
    name: words.nameOf(one.rule),
    state: stateOf(one),
    words: words.ofExplained(one),
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
