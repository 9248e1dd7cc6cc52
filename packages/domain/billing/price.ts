import type { BillingInterval } from "./subscription.ts";

interface PricedPlan {
  readonly monthly_price: number | null;
  readonly yearly_price: number | null;
  /** 0 until the operator has saved the plan. */
  readonly updated_at: number;
}

/**
 * What a plan costs per interval, in the smallest unit of the currency; null if it is not for sale. The prices that an
 * installation comes with are examples: with real money, nothing is sold before the operator has saved the plan.
 */
export function priceFor(plan: PricedPlan, interval: BillingInterval, mode: "test" | "live"): number | null {
  if (mode === "live" && plan.updated_at === 0) return null;
  return interval === "month" ? plan.monthly_price : plan.yearly_price;
}
