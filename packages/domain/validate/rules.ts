import type { CallerFacts, LicenseFacts, ProductFacts } from "./facts.ts";
import { type Outcome, type ValidateStatus, validateStatuses } from "./status.ts";

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
