import { type BillingInterval, paymentOf, type SubscriptionStatus } from "./subscription.ts";

export interface SubscriptionSum {
  readonly currency: string | null;
  readonly interval: BillingInterval | null;
  readonly status: SubscriptionStatus | null;
  readonly amount: number;
  readonly count: number;
}

interface Recurring {
  readonly currency: string;
  readonly monthly_amount: number;
  readonly subscription_count: number;
}

/** What paid subscriptions bring in per month, by currency. Trials bring in nothing yet. */
export function recurringRevenue(sums: readonly SubscriptionSum[]): Recurring[] {
  const paid = sums.filter(({ status }) => isPaid(status));
  const byCurrency = Map.groupBy(paid, ({ currency }) => currency ?? "");
  return [...byCurrency]
    .map(([currency, some]) => ({
      currency,
      monthly_amount: Math.round(
        some.reduce((sum, { amount, interval }) => sum + (interval === "year" ? amount / 12 : amount), 0),
      ),
      subscription_count: some.reduce((sum, { count }) => sum + count, 0),
    }))
    .sort((a, b) => b.monthly_amount - a.monthly_amount);
}

export function trialCount(sums: readonly SubscriptionSum[]): number {
  return sums.reduce((sum, { status, count }) => sum + (status === "trialing" ? count : 0), 0);
}

function isPaid(status: SubscriptionStatus | null): boolean {
  return status !== null && status !== "trialing" && paymentOf(status) === "paid";
}
