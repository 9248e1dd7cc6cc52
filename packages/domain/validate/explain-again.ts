import { ruleNames } from "./decide.ts";
import type { ExplainedRequest } from "./explain.ts";
import { type ExplainedRule, explain, explainedRule, type RuleResults, ruleResults } from "./explain.ts";
import { isRefused, type RequestOutcome } from "./status.ts";

/** Why a logged request cannot be sent again as it was, so that less than all of its rules can be checked. */
export const unrepeatableReasons = [
  "sandbox",
  "product_deleted",
  "summed_up",
  "no_key_sent",
  "license_deleted",
  "key_not_stored",
  "not_looked_up",
] as const;
type UnrepeatableReason = (typeof unrepeatableReasons)[number];

/** What the log has of the request. */
export interface LoggedRequest {
  readonly endpoint: "validate" | "lookup";
  readonly outcome: RequestOutcome;
  readonly licenseId: string | null;
  readonly problem: string | null;
  /** How many requests the entry stands for. */
  readonly count: number;
  readonly sandbox: boolean;
}

interface ExplainedAgain {
  /** Null if it depends on what the log does not have. */
  readonly outcome: RequestOutcome | "invalid_api_key" | null;
  readonly accepted: boolean | null;
  readonly unrepeatable: UnrepeatableReason | null;
  /** Those that can be checked, in order of precedence. */
  readonly rules: readonly ExplainedRule[];
}

/** What a logged request would get now: `request` has its product, and its license if that is known and still exists. */
export function explainAgain(logged: LoggedRequest, request: ExplainedRequest): ExplainedAgain {
  const unrepeatable = unrepeatableReason(logged, request);
  // A test API key of a deleted product does not work; a fixed license key always gets the same outcome.
  if (logged.sandbox)
    return answer(request.product.deleted ? "invalid_api_key" : logged.outcome, unrepeatable, []);
  return logged.endpoint === "lookup"
    ? lookUpAgain(request, unrepeatable)
    : validateAgain(request, unrepeatable);
}

function unrepeatableReason(logged: LoggedRequest, request: ExplainedRequest): UnrepeatableReason | null {
  if (request.product.deleted) return "product_deleted";
  if (logged.sandbox) return "sandbox";
  if (logged.count > 1) return "summed_up";
  if (request.license !== null) return null;
  if (logged.licenseId !== null) return "license_deleted";
  switch (logged.outcome) {
    case "license_not_found":
      return logged.problem === null ? "key_not_stored" : "no_key_sent";
    case "not_found":
      return "key_not_stored";
    default:
      return "not_looked_up";
  }
}

function validateAgain(request: ExplainedRequest, unrepeatable: UnrepeatableReason | null): ExplainedAgain {
  const { status, rules } = explain(request);
  if (request.license !== null) return answer(status, unrepeatable, rules);
  // Without a license, nothing is known from the rule on that looks for it.
  const checked = rules.slice(0, ruleNames.indexOf("license_not_found"));
  const refusing = checked.find(({ passed }) => passed === false);
  if (refusing !== undefined) return answer(status, unrepeatable, checked);
  if (unrepeatable !== "no_key_sent") return answer(null, unrepeatable, checked);
  const missing = explainedRule("license_not_found", { passed: false, reason: "no_key_sent", facts: {} });
  return answer("license_not_found", unrepeatable, [...checked, missing]);
}

/** A lookup is authenticated and counted, and then only finds the license: it runs none of the other rules. */
const lookupRules = {
  invalid_api_key: ruleResults.invalid_api_key,
  rate_limit_exceeded: ruleResults.rate_limit_exceeded,
  license_not_found: (request) =>
    request.product.deleted
      ? { ...ruleResults.product_not_found(request), passed: false }
      : ruleResults.license_not_found(request),
} satisfies Partial<RuleResults>;

function lookUpAgain(request: ExplainedRequest, unrepeatable: UnrepeatableReason | null): ExplainedAgain {
  const all = (["invalid_api_key", "rate_limit_exceeded", "license_not_found"] as const).map((rule) =>
    explainedRule(rule, lookupRules[rule](request)),
  );
  const isKnown = request.license !== null || request.product.deleted;
  const rules = isKnown ? all : all.slice(0, -1);
  const refusing = rules.find(({ passed }) => passed === false);
  switch (refusing?.rule) {
    case undefined:
      return answer(isKnown ? "found" : null, unrepeatable, rules);
    case "invalid_api_key":
    case "rate_limit_exceeded":
      return answer(refusing.rule, unrepeatable, rules);
    default:
      return answer("not_found", unrepeatable, rules);
  }
}

function answer(
  outcome: ExplainedAgain["outcome"],
  unrepeatable: UnrepeatableReason | null,
  rules: readonly ExplainedRule[],
): ExplainedAgain {
  return { outcome, accepted: outcome === null ? null : !isRefused(outcome), unrepeatable, rules };
}
