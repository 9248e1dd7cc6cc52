export const plans = ["free", "pro", "enterprise"] as const;
export type Plan = (typeof plans)[number];

/** Whether an organization is served, as its payments say. */
export type BillingState = "active" | "grace" | "suspended" | "cancelled";

/** The plan whose limits apply: after a cancelled subscription, an organization is served within those of Free. */
export function effectivePlan(plan: Plan, billing: BillingState): Plan {
  return billing === "cancelled" ? "free" : plan;
}

/** How many of the requested calls pass: never more than remain, never less than zero. */
export function grant(limit: number | null, used: number, requested: number): number {
  return limit === null ? requested : Math.max(0, Math.min(requested, limit - used));
}
