import type { JsonObject } from "../custom-response/template.ts";
import { isoTime } from "../dates/iso-time.ts";
import { gateVersion } from "../versions/gate.ts";
import type { CallerFacts, LicenseFacts, ProductFacts } from "./facts.ts";
import { type Outcome, type ValidateStatus, validateStatuses } from "./status.ts";

/** The verdict, and the one write that storage has to make because of it. */
export interface Verdict {
  readonly status: Outcome;
  readonly expiresAtMs: number | null;
  readonly ipRegistered: boolean | null;
  readonly ipCount: number | null;
  readonly maxIps: number | null;
  readonly version: string | null;
  readonly versionValid: boolean | null;
  /**
   * `register_ip` tells storage to take one of the license's slots for this IP address. The counts above already assume
   * that it succeeds; if another request took the last slot first, storage decides again from the new facts.
   */
  readonly effect: "none" | "register_ip";
  /** Whether this is the license's first use, which starts its term. The expiry above already assumes it. */
  readonly firstUse: boolean;
}

/** All of validation as early returns: the first reason to reject, in order of precedence, is the result. */
export function decide(
  product: ProductFacts,
  license: LicenseFacts | null,
  caller: CallerFacts,
  nowMs: number,
): Verdict {
  const refusedProduct = productRefusal(product);
  if (refusedProduct !== null) return withoutLicense(refusedProduct);
  if (license === null) return withoutLicense("license_not_found");

  const gate = product.versions
    ? gateVersion(product.versions.catalog, license.pin, caller.version)
    : versionModuleOff;

  if (license.revoked) return verdict(license, gate, "revoked", null);
  if (refusesExpired(product, license, nowMs)) return verdict(license, gate, "expired", null);
  if (caller.blocked) return verdict(license, gate, "ip_blocked", false);

  const slot = ipSlot(product, license, caller);
  if (slot === "ip_not_registered" || slot === "ip_limit_reached") return verdict(license, gate, slot, false);

  // An IP address takes a slot only if the whole request passes, so that an outdated app cannot use one up.
  if (refusesVersion(product, gate.versionValid)) return verdict(license, gate, "version_not_allowed", false);
  return slot === "free"
    ? verdict(license, gate, "active", true, "register_ip", nowMs)
    : verdict(license, gate, "active", false, "none", nowMs);
}

function verdict(
  { expiresAtMs, ips, unused }: LicenseFacts,
  gate: { readonly version: string | null; readonly versionValid: boolean | null },
  status: Outcome,
  ipRegistered: boolean | null,
  effect: Verdict["effect"] = "none",
  usedAtMs: number | null = null,
): Verdict {
  const firstUse = unused !== null && usedAtMs !== null;
  return {
    status,
    expiresAtMs: firstUse && unused.termMs !== null ? usedAtMs + unused.termMs : expiresAtMs,
    ipRegistered: ips === null ? null : ipRegistered,
    ipCount: ips === null ? null : ips.registered + (effect === "register_ip" ? 1 : 0),
    maxIps: ips === null ? null : ips.max,
    version: gate.version,
    versionValid: gate.versionValid,
    effect,
    firstUse,
  };
}

const versionModuleOff = { version: null, versionValid: null } as const;

function withoutLicense(status: Outcome): Verdict {
  return {
    status,
    expiresAtMs: null,
    ipRegistered: null,
    ipCount: null,
    maxIps: null,
    version: null,
    versionValid: null,
    effect: "none",
    firstUse: false,
  };
}

/** What can refuse a request: every status but the valid one. */
export type RuleName = Exclude<ValidateStatus, "active">;

/** In order of precedence. */
export const ruleNames: readonly [RuleName, ...RuleName[]] = validateStatuses.slice(0, -1) as [
  RuleName,
  ...RuleName[],
];

/** Why the product rejects every request, if it does. No license is looked up then. */
export function productRefusal(product: ProductFacts): ProductRule | null {
  if (productRefuses.product_not_found(product)) return "product_not_found";
  if (productRefuses.org_suspended(product)) return "org_suspended";
  if (productRefuses.billing_suspended(product)) return "billing_suspended";
  if (productRefuses.product_archived(product)) return "product_archived";
  if (productRefuses.product_disabled(product)) return "product_disabled";
  return null;
}

type ProductRule = keyof typeof productRefuses;

/** Whether each rule about the product refuses, in order of precedence. */
export const productRefuses = {
  product_not_found: (product: ProductFacts) => product.deleted,
  org_suspended: (product: ProductFacts) => product.organizationSuspended,
  billing_suspended: (product: ProductFacts) => product.billing === "suspended",
  product_archived: (product: ProductFacts) => product.status === "archived",
  product_disabled: (product: ProductFacts) => product.status === "disabled",
} satisfies Partial<Record<Outcome, (product: ProductFacts) => boolean>>;

export function isExpired(expiresAtMs: number | null, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs;
}

export function refusesExpired(product: ProductFacts, license: LicenseFacts, nowMs: number): boolean {
  return product.expiryEnforced && isExpired(license.expiresAtMs, nowMs);
}

type IpSlot = "held" | "free" | "ip_not_registered" | "ip_limit_reached";

/** Whether the IP address is registered or need not be, can take a free slot, or is rejected, and why. */
export function ipSlot(
  { trackIp, registration }: ProductFacts,
  { ips }: LicenseFacts,
  { registered }: CallerFacts,
): IpSlot {
  if (!trackIp || ips === null || registered) return "held";
  if (registration === "off") return "ip_not_registered";
  if (ips.registered >= ips.max) return "ip_limit_reached";
  if (registration === "first_only" && ips.registered > 0) return "ip_not_registered";
  return "free";
}

/** A version that is not allowed is refused only if the product enforces its versions. */
export function refusesVersion({ versions }: ProductFacts, versionValid: boolean | null): boolean {
  return versionValid === false && versions !== null && versions.enforced;
}

/** The body of a validate response with its ten members in their documented order, before signing. */
export function answerBody(verdict: Verdict, custom: JsonObject | null): string {
  return JSON.stringify({
    valid: verdict.status === "active",
    status: verdict.status,
    expires: isoTime(verdict.expiresAtMs),
    ip_registered: verdict.ipRegistered,
    ip_count: verdict.ipCount,
    max_ips: verdict.maxIps,
    version: verdict.version,
    version_valid: verdict.versionValid,
    custom,
    signature: null,
  });
}
