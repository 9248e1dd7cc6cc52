import { isoTime } from "../dates/iso-time.ts";
import { dayMs } from "../dates/lengths.ts";
import { quotaDay } from "../quota/day.ts";
import { grant } from "../quota/limit.ts";
import { gateVersion, type SubmittedState, submittedState, type VersionPin } from "../versions/gate.ts";
import {
  decide,
  ipSlot,
  productRefuses,
  type RuleName,
  refusesExpired,
  refusesVersion,
  ruleNames,
} from "./decide.ts";
import { type ExplainReason, explainMessage, type RuleFacts } from "./explain-reasons.ts";
import type { CallerFacts, LicenseFacts, ProductFacts } from "./facts.ts";
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

/** A hypothetical request, and everything that its rules look at. */
export interface ExplainedRequest {
  readonly product: ProductFacts;
  readonly license: LicenseFacts | null;
  /** Null if it is not known: then no rule about it refuses. */
  readonly ip: ExplainedIp | null;
  readonly version: string | null;
  readonly atMs: number;
  readonly admission: AdmissionFacts;
  readonly details: ExplainDetails;
}

export interface ExplainedIp {
  readonly text: string;
  /** The first block that covers it. */
  readonly block: BlockDetails | null;
  readonly registered: boolean;
}

/** Organizations learn only that the platform blocks an IP address. */
export type BlockDetails = OrganizationBlock | { readonly level: "platform" };

interface OrganizationBlock {
  readonly cidr: string;
  readonly level: "organization" | "customer" | "license";
  readonly note: string | null;
  readonly sinceMs: number;
  readonly untilMs: number | null;
}

/** What is checked before a request is decided. */
interface AdmissionFacts {
  /** The beginnings of the product's usable API keys. */
  readonly apiKeys: readonly string[];
  /** Null for no limit. */
  readonly dailyLimit: number | null;
  /** The requests counted on the day of the request; null for a past day, of which only the total is known. */
  readonly usedThatDay: number | null;
}

/** What no rule decides on, but an explanation says. */
interface ExplainDetails {
  readonly suspendedAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly revokedReason: string | null;
  /** Some of the license's registered IP addresses; null if they are not shown. */
  readonly registeredIps: readonly string[] | null;
}

/** `passed` is null if the rule does not apply. */
interface RuleResult {
  readonly passed: boolean | null;
  readonly reason: ExplainReason;
  readonly facts: RuleFacts;
}

/** The two rules about registered IP addresses. At most one of them refuses, as one check decides both. */
function explainIp(
  rule: "ip_not_registered" | "ip_limit_reached",
  { product, ip, details }: Pick<ExplainedRequest, "product" | "ip" | "details">,
  license: LicenseFacts,
  caller: CallerFacts,
): RuleResult {
  const facts = {
    ip: ip?.text ?? null,
    ip_registered: ip?.registered ?? null,
    registered: license.ips?.registered ?? null,
    max_ips: license.ips?.max ?? null,
    registration: product.registration,
    ...(details.registeredIps === null ? {} : { registered_ips: [...details.registeredIps] }),
  };
  if (!product.trackIp) return { passed: null, reason: "ip_not_checked", facts };
  if (license.ips === null) return { passed: null, reason: "ip_system_off", facts };
  if (ip === null) return { passed: null, reason: "no_ip_given", facts };
  const slot = ipSlot(product, license, caller);
  return rule === "ip_not_registered"
    ? { ...registrationResults[slot](product.registration), facts }
    : { ...limitResults[slot](product.registration), facts };
}

type Slot = ReturnType<typeof ipSlot>;
type Results = Record<Slot, (registration: string) => Omit<RuleResult, "facts">>;

const registrationResults: Results = {
  held: () => ({ passed: true, reason: "ip_registered" }),
  free: () => ({ passed: true, reason: "ip_can_register" }),
  ip_not_registered: (registration) => ({
    passed: false,
    reason: registration === "off" ? "ip_not_registered" : "ip_not_first",
  }),
  ip_limit_reached: () => ({ passed: null, reason: "limit_decides" }),
};

const limitResults: Results = {
  held: () => ({ passed: true, reason: "needs_no_slot" }),
  free: () => ({ passed: true, reason: "slot_free" }),
  // With `first_only`, this rule comes before the other in effect: a slot is free, or it would have refused.
  ip_not_registered: (registration) =>
    registration === "off"
      ? { passed: null, reason: "registration_off" }
      : { passed: true, reason: "slot_free" },
  ip_limit_reached: () => ({ passed: false, reason: "ip_limit_reached" }),
};

/** The rule about the version: the product's list and the license's pin must both allow it. */
function explainVersion(product: ProductFacts, pin: VersionPin, version: string | null): RuleResult {
  const { versions } = product;
  if (versions === null) return { passed: null, reason: "versions_not_checked", facts: { version } };
  const gate = gateVersion(versions.catalog, pin, version);
  const facts = {
    version,
    enforced: versions.enforced,
    version_pinned: pin?.mode === "pinned" ? pin.version : null,
    version_range_min: pin?.mode === "range" ? pin.min : null,
    version_range_max: pin?.mode === "range" ? pin.max : null,
    suggested_version: gate.version,
  };
  if (version === null) return { passed: null, reason: "no_version_given", facts };
  const state = submittedState(versions.catalog, pin, version);
  const withState = { ...facts, state };
  if (gate.versionValid) return { passed: true, reason: "version_allowed", facts: withState };
  return refusesVersion(product, gate.versionValid)
    ? { passed: false, reason: refusals[state], facts: withState }
    : { passed: true, reason: "version_reported_only", facts: withState };
}

const refusals: Record<SubmittedState, ExplainReason> = {
  allowed: "version_allowed",
  deprecated: "version_allowed",
  latest: "version_allowed",
  blocked: "version_blocked",
  missing: "version_missing",
  unreadable: "version_unreadable",
  outside_pin: "version_outside_pin",
};
