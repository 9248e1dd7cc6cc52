import { type RuleName, ruleNames } from "./decide.ts";
import type { RuleFacts } from "./explain-reasons.ts";
import type { RequestOutcome } from "./status.ts";

/** A request as the log has it. Times are in ISO 8601. */
export interface LoggedDecision {
  readonly at: string;
  readonly endpoint: "validate" | "lookup";
  readonly outcome: RequestOutcome;
  readonly ip: string;
  readonly version: string | null;
  readonly problem: string | null;
  /** What a refusal was based on at that time. */
  readonly facts: {
    readonly expires_at: string | null;
    readonly ip_count: number | null;
    readonly max_ips: number | null;
    readonly version: string | null;
  } | null;
}

/** The rules of validation, and what ends a request before its body is read. */
type LoggedRuleName = RuleName | "body_too_large" | "body_timeout";

export interface LoggedRule {
  readonly rule: LoggedRuleName;
  /** Rules after the one that refused were not reached. */
  readonly result: "passed" | "refused" | "not_reached";
  readonly facts: RuleFacts;
}

/**
 * Why a logged request got its outcome: its rules in order of precedence, of which those before the refusing one passed
 * or did not apply.
 */
export function whyLogged(request: LoggedDecision): LoggedRule[] {
  const refusing = refusingRule(request.outcome);
  const known = rulesOf(request);
  const rules = refusing === null || known.includes(refusing) ? known : [...known, refusing];
  const at = refusing === null ? rules.length : rules.indexOf(refusing);
  return rules.map((rule, index): LoggedRule => {
    if (index === at) return { rule, result: "refused", facts: refusalFacts(rule, request) };
    return { rule, result: index < at ? "passed" : "not_reached", facts: {} };
  });
}

function refusingRule(outcome: RequestOutcome): LoggedRuleName | null {
  switch (outcome) {
    case "active":
    case "found":
      return null;
    case "not_found":
      return "license_not_found";
    default:
      return outcome;
  }
}

/** A lookup has fewer rules. What is wrong with a body is known once the request is counted. */
function rulesOf({ endpoint, outcome }: LoggedDecision): LoggedRuleName[] {
  const admission: readonly LoggedRuleName[] = ["invalid_api_key", "rate_limit_exceeded"];
  const body = outcome === "body_too_large" || outcome === "body_timeout" ? [outcome] : [];
  const rest: readonly RuleName[] =
    endpoint === "lookup" ? ["license_not_found"] : ruleNames.slice(admission.length);
  return [...admission, ...body, ...rest];
}

function refusalFacts(rule: LoggedRuleName, request: LoggedDecision): RuleFacts {
  const { at, ip, version, problem, facts } = request;
  const noted: RuleFacts = problem === null ? {} : { problem };
  switch (rule) {
    case "expired":
      return { ...noted, expires_at: facts?.expires_at ?? null, at };
    case "ip_blocked":
      return { ...noted, ip };
    case "ip_not_registered":
    case "ip_limit_reached":
      return { ...noted, ip, registered: facts?.ip_count ?? null, max_ips: facts?.max_ips ?? null };
    case "version_not_allowed":
      return { ...noted, version, suggested_version: facts?.version ?? null };
    default:
      return noted;
  }
}
