import type { BillingState } from "../validate/facts.ts";

export const plans = ["free", "pro", "enterprise"] as const;
export type Plan = (typeof plans)[number];

export interface OrganizationTerms {
  readonly plan: Plan;
  readonly billing: BillingState;
  readonly dailyLimitOverride: number | null;
}

/** Requests a day for each product, or null for no limit. What the operator set for the organization wins. */
export function dailyLimit(terms: OrganizationTerms): number | null {
  if (terms.dailyLimitOverride !== null) return terms.dailyLimitOverride;
  const plan = effectivePlan(terms);
  switch (plan) {
    case "free":
      return 10_000;
    case "pro":
      return 100_000;
    case "enterprise":
      return null;
  }
}

/** Version gating comes with the paid plans (specification 9.2). */
export function includesVersionGating(terms: OrganizationTerms): boolean {
  return effectivePlan(terms) !== "free";
}

/** A cancelled subscription is served on, within what Free allows. */
function effectivePlan(terms: OrganizationTerms): Plan {
  return terms.billing === "cancelled" ? "free" : terms.plan;
}

/** How many of the requests that ask at once may pass. Never more than is left, never fewer than none. */
export function grant(limit: number | null, used: number, asked: number): number {
  return limit === null ? asked : Math.max(0, Math.min(asked, limit - used));
}
