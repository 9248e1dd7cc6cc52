import { describe, expect, test } from "bun:test";
import { ruleNames } from "@countersign/domain/validate/decide";
import { explainReasons } from "@countersign/domain/validate/explain-reasons";
import { whyLogged } from "@countersign/domain/validate/why";
import words from "../../i18n/en/explain.json";
import { type ExplainedRule, rulesNow, rulesThen } from "./rule-list.tsx";

const plain = {
  nameOf: (rule: string) => rule,
  ofExplained: ({ message }: ExplainedRule) => message,
  ofLogged: () => null,
};
const logged = whyLogged({
  at: "2026-11-17T12:00:00.000Z",
  endpoint: "validate",
  outcome: "ip_limit_reached",
  ip: "203.0.113.7",
  version: null,
  problem: null,
  facts: { expires_at: null, ip_count: 2, max_ips: 2, version: null },
});
const explained = (...refusing: string[]) =>
  ruleNames.map((rule) => {
    const passed = !refusing.includes(rule);
    return { rule, passed, reason: "no_license", facts: {}, message: "" } as ExplainedRule;
  });
const changed = (...refusing: string[]) =>
  rulesNow(explained(...refusing), plain, logged)
    .filter(({ hasChanged }) => hasChanged)
    .map(({ rule }) => rule);

describe("the rules of a request", () => {
  test("rules before the logged refusal passed, and those after it were not reached", () => {
    const states = Object.fromEntries(rulesThen(logged, plain).map(({ rule, state }) => [rule, state]));
    expect(states).toMatchObject({ ip_blocked: "passed", ip_limit_reached: "refused" });
    expect(states.version_not_allowed).toBe("not_reached");
  });

  test("only the first rule that refuses now decides", () => {
    const rules = rulesNow(explained("revoked", "expired"), plain);
    expect(rules.flatMap(({ rule, isDeciding }) => (isDeciding ? [rule] : []))).toEqual(["revoked"]);
  });

  test("a rule has changed since the request if it no longer refuses, or does so now", () => {
    expect(changed("ip_limit_reached")).toEqual([]);
    expect(changed()).toEqual(["ip_limit_reached"]);
    expect(changed("revoked", "ip_limit_reached")).toEqual(["revoked"]);
  });

  test("a rule that the request did not reach does not count as changed", () =>
    expect(changed("ip_limit_reached", "version_not_allowed")).toEqual([]));

  test("there are words for every rule and reason, and no others", () => {
    const rules = [...ruleNames, "body_too_large", "body_timeout"];
    expect(Object.keys(words.rules).sort()).toEqual([...rules].sort());
    expect(Object.keys(words.then).sort()).toEqual([...rules, "version_suggested"].sort());
    expect(Object.keys(words.reasons).sort()).toEqual([...explainReasons].sort());
  });
});
