import { expect, test } from "bun:test";
import { requestOutcomes } from "./status.ts";
import { type LoggedDecision, whyLogged } from "./why.ts";

const request: LoggedDecision = {
  at: "2030-06-15T12:00:00.000Z",
  endpoint: "validate",
  outcome: "active",
  ip: "203.0.113.7",
  version: "1.0.0",
  problem: null,
  facts: { expires_at: "2030-06-14T12:00:00.000Z", ip_count: 3, max_ips: 3, version: "2.0.0" },
};

test.each(requestOutcomes.map((outcome) => [outcome]))(
  "if %s was logged, rules before the refusing one passed, and later ones were not reached",
  (outcome) => {
    const endpoint = outcome === "found" || outcome === "not_found" ? "lookup" : "validate";
    const results = whyLogged({ ...request, endpoint, outcome }).map(({ result }) => result);
    const isValid = outcome === "active" || outcome === "found";
    const expected = isValid ? /^(passed,?)+$/ : /^(passed,)*refused(,not_reached)*$/;
    expect(results.join()).toMatch(expected);
  },
);

test.each([
  ["expired", { expires_at: "2030-06-14T12:00:00.000Z", at: request.at }],
  ["ip_blocked", { ip: "203.0.113.7" }],
  ["ip_not_registered", { ip: "203.0.113.7", registered: 3, max_ips: 3 }],
  ["ip_limit_reached", { ip: "203.0.113.7", registered: 3, max_ips: 3 }],
  ["version_not_allowed", { version: "1.0.0", suggested_version: "2.0.0" }],
  ["revoked", {}],
  ["body_too_large", {}],
] as const)("a request logged as %s shows the facts of the rule", (outcome, facts) => {
  const refused = whyLogged({ ...request, outcome }).find(({ result }) => result === "refused");
  expect<object | undefined>(refused).toEqual({ rule: outcome, result: "refused", facts });
});

test("a request without a usable license key shows its problem", () => {
  const problem = "The body has no license_key.";
  const rules = whyLogged({ ...request, outcome: "license_not_found", problem, facts: null });
  expect(rules).toContainEqual({ rule: "license_not_found", result: "refused", facts: { problem } });
});

test("a lookup has only the rules that it is checked against", () => {
  expect(whyLogged({ ...request, endpoint: "lookup", outcome: "not_found" })).toEqual([
    { rule: "invalid_api_key", result: "passed", facts: {} },
    { rule: "rate_limit_exceeded", result: "passed", facts: {} },
    { rule: "license_not_found", result: "refused", facts: {} },
  ]);
});
