import { dayMs } from "../dates/lengths.ts";
import { quotaDay } from "../quota/day.ts";
import { grant } from "../quota/limit.ts";
import { isoTime } from "./answer.ts";
import { decide } from "./decide.ts";
import type { ExplainedRequest, RuleResult } from "./explain-facts.ts";
import { explainIp } from "./explain-ip.ts";
import { type ExplainReason, explainMessage, type RuleFacts } from "./explain-reasons.ts";
import { explainVersion } from "./explain-version.ts";
import type { CallerFacts } from "./facts.ts";
import { productRefuses, type RuleName, refusesExpired, ruleNames } from "./rules.ts";
import type { ValidateStatus } from "./status.ts";

interface Explanation {
  readonly status: ValidateStatus;
  readonly valid: boolean;
  readonly rules: readonly ExplainedRule[];
}

export interface ExplainedRule extends RuleResult {
  readonly rule: RuleName;
  readonly message: string;
}

/** Every rule with its own result, and the status, which is that of the first rule that refuses. */
export function explain(request: ExplainedRequest): Explanation {
  const rules = ruleNames.map((rule) => explainedRule(rule, ruleResults[rule](request)));
  const status = statusOf(request);
  return { status, valid: status === "active", rules };
}

export function explainedRule(rule: RuleName, { passed, reason, facts }: RuleResult): ExplainedRule {
  return { rule, passed, reason, facts, message: explainMessage(reason, facts) };
}

/** Admission, and then the same decision as a validation. */
function statusOf(request: ExplainedRequest): ValidateStatus {
  if (ruleResults.invalid_api_key(request).passed === false) return "invalid_api_key";
  if (ruleResults.rate_limit_exceeded(request).passed === false) return "rate_limit_exceeded";
  const { product, license, atMs } = request;
  return decide(product, license, callerFacts(request), atMs).status;
}

/** Without an IP address, one that is registered and not blocked is assumed. */
export function callerFacts({ ip, version }: Pick<ExplainedRequest, "ip" | "version">): CallerFacts {
  return { blocked: ip !== null && ip.block !== null, registered: ip?.registered ?? true, version };
}

export type RuleResults = Record<RuleName, (request: ExplainedRequest) => RuleResult>;

/** What each rule says, whatever the others do. */
export const ruleResults: RuleResults = {
  invalid_api_key: ({ admission: { apiKeys } }) =>
    apiKeys.length > 0
      ? { passed: true, reason: "api_key_usable", facts: { api_keys: [...apiKeys] } }
      : { passed: false, reason: "no_usable_api_key", facts: { api_keys: [] } },

  rate_limit_exceeded: ({ admission: { dailyLimit, usedThatDay }, atMs }) => {
    const resetsAt = isoTime((quotaDay(atMs) + 1) * dayMs);
    const facts = { used: usedThatDay, limit: dailyLimit, resets_at: resetsAt };
    if (dailyLimit === null) return { passed: null, reason: "no_daily_limit", facts };
    if (usedThatDay === null) return { passed: null, reason: "past_usage_unknown", facts };
    return grant(dailyLimit, usedThatDay, 1) === 1
      ? { passed: true, reason: "within_daily_limit", facts }
      : { passed: false, reason: "daily_limit_reached", facts };
  },

  product_not_found: ({ product }) =>
    result(productRefuses.product_not_found(product), "product_exists", "product_deleted", {
      product_name: product.productName,
    }),
  org_suspended: ({ product, details }) =>
    result(productRefuses.org_suspended(product), "organization_served", "organization_suspended", {
      suspended_at: isoTime(details.suspendedAtMs),
    }),
  billing_suspended: ({ product }) =>
    result(productRefuses.billing_suspended(product), "billing_not_suspended", "billing_suspended", {
      billing_state: product.billing,
    }),
  product_archived: ({ product }) =>
    result(productRefuses.product_archived(product), "product_not_archived", "product_archived", {
      product_status: product.status,
    }),
  product_disabled: ({ product }) =>
    result(productRefuses.product_disabled(product), "product_not_disabled", "product_disabled", {
      product_status: product.status,
    }),

  license_not_found: ({ license }) =>
    result(license === null, "license_exists", "license_missing", { license_id: license?.id ?? null }),
  revoked: ({ license, details }) => {
    if (license === null) return noLicense;
    const { revokedAtMs, revokedReason } = details;
    return result(license.revoked, "not_revoked", "revoked", {
      revoked_at: isoTime(revokedAtMs),
      revoked_reason: revokedReason,
    });
  },
  expired: ({ product, license, atMs }) => {
    if (license === null) return noLicense;
    const { expiresAtMs, unused } = license;
    const facts = { expires_at: isoTime(expiresAtMs), at: isoTime(atMs) };
    if (refusesExpired(product, license, atMs)) return { passed: false, reason: "expired", facts };
    if (expiresAtMs !== null)
      return product.expiryEnforced
        ? { passed: true, reason: "not_expired", facts }
        : { passed: null, reason: "expiry_not_enforced", facts };
    const startsLater = unused !== null && unused.termMs !== null;
    return { passed: true, reason: startsLater ? "term_not_started" : "never_expires", facts };
  },

  ip_blocked: ({ license, ip }) => {
    if (license === null) return noLicense;
    if (ip === null) return { passed: null, reason: "no_ip_given", facts: { ip: null } };
    const { text, block } = ip;
    if (block === null) return { passed: true, reason: "not_blocked", facts: { ip: text } };
    if (block.level === "platform")
      return { passed: false, reason: "blocked_by_platform", facts: { ip: text, level: block.level } };
    const { cidr, level, note, sinceMs, untilMs } = block;
    const facts = { ip: text, cidr, level, note, since: isoTime(sinceMs), until: isoTime(untilMs) };
    return { passed: false, reason: "blocked", facts };
  },
  ip_not_registered: (request) =>
    request.license === null
      ? noLicense
      : explainIp("ip_not_registered", request, request.license, callerFacts(request)),
  ip_limit_reached: (request) =>
    request.license === null
      ? noLicense
      : explainIp("ip_limit_reached", request, request.license, callerFacts(request)),

  version_not_allowed: ({ product, license, version }) =>
    license === null ? noLicense : explainVersion(product, license.pin, version),
};

const noLicense: RuleResult = { passed: null, reason: "no_license", facts: {} };

function result(
  refuses: boolean,
  whenPassed: ExplainReason,
  whenRefused: ExplainReason,
  facts: RuleFacts,
): RuleResult {
  return { passed: !refuses, reason: refuses ? whenRefused : whenPassed, facts };
}
