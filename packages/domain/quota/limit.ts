import type { BillingState } from "../validate/facts.ts";

export const plans = ["free", "pro", "enterprise"] as const;
export type Plan = (typeof plans)[number];

export interface OrganizationTerms {
  readonly plan: Plan;
  readonly billing: BillingState;
  readonly dailyLimitOverride: number | null;
}

/** Requests per product and day, or null for no limit. The operator's override for the organization wins. */
export function dailyLimit(terms: OrganizationTerms): number | null {
  if (terms.dailyLimitOverride !== null) return terms.dailyLimitOverride;
  const plan = effectivePlan(terms.plan, terms.billing);
  switch (plan) {
    case "free":
      return 10_000;
    case "pro":
      return 100_000;
    case "enterprise":
      return null;
  }
}

/** Version gating is part of the paid plans. */
export function includesVersionGating(terms: OrganizationTerms): boolean {
  return effectivePlan(terms.plan, terms.billing) !== "free";
}

/** The plan whose limits apply: after a cancelled subscription, an organization is served within those of Free. */
export function effectivePlan(plan: Plan, billing: BillingState): Plan {
  return billing === "cancelled" ? "free" : plan;
}

/** How many of the requested calls pass: never more than remain, never less than zero. */
export function grant(limit: number | null, used: number, asked: number): number {
  return limit === null ? asked : Math.max(0, Math.min(asked, limit - used));
}
