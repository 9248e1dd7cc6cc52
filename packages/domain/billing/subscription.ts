import type { Plan } from "../quota/limit.ts";

/** What decided on an organization's plan: the default at its creation, the operator by hand, or a subscription. */
export const planSources = ["default", "operator", "subscription"] as const;
export type PlanSource = (typeof planSources)[number];

export const billingIntervals = ["month", "year"] as const;
export type BillingInterval = (typeof billingIntervals)[number];

/** As Stripe names them. */
export const subscriptionStatuses = [
  "incomplete",
  "incomplete_expired",
  "trialing",
  "active",
  "past_due",
  "canceled",
  "unpaid",
  "paused",
] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** A subscription as it was fetched from Stripe. */
export interface Subscription {
  readonly id: string;
  readonly status: SubscriptionStatus;
  /** Null if its price is not one of ours. */
  readonly plan: Plan | null;
  readonly interval: BillingInterval;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  readonly currency: string;
  readonly createdAtMs: number;
  readonly periodEndsAtMs: number | null;
  /** When it ends because it was cancelled; null if it renews. */
  readonly cancelsAtMs: number | null;
  readonly trialEndsAtMs: number | null;
}

/** What a subscription means for the organization: it is paid, it is overdue, or there is none. */
type Payment = "paid" | "overdue" | "none";

export function paymentOf(status: SubscriptionStatus): Payment {
  switch (status) {
    case "trialing":
    case "active":
      return "paid";
    case "past_due":
    case "unpaid":
      return "overdue";
    // The first payment is still missing, or there will be no other.
    case "incomplete":
    case "incomplete_expired":
    case "canceled":
    case "paused":
      return "none";
  }
}

const preference: Readonly<Record<Payment, number>> = { paid: 2, overdue: 1, none: 0 };

/**
 * The subscription that counts, if a customer has several: a paid one before an overdue one before one that has ended,
 * and the newest of those. Subscriptions to anything but a plan do not count.
 */
export function currentSubscription(all: readonly Subscription[]): Subscription | null {
  const ours = all.filter(({ plan }) => plan !== null);
  const [first] = ours.sort(
    (a, b) =>
      preference[paymentOf(b.status)] - preference[paymentOf(a.status)] ||
      b.createdAtMs - a.createdAtMs ||
      (a.id < b.id ? 1 : -1),
  );
  return first ?? null;
}

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
    .map(([currency, subscriptions]) => ({
      currency,
      monthly_amount: Math.round(
        subscriptions.reduce(
          (sum, { amount, interval }) => sum + (interval === "year" ? amount / 12 : amount),
          0,
        ),
      ),
      subscription_count: subscriptions.reduce((sum, { count }) => sum + count, 0),
    }))
    .sort((a, b) => b.monthly_amount - a.monthly_amount);
}

export function trialCount(sums: readonly SubscriptionSum[]): number {
  return sums.reduce((sum, { status, count }) => sum + (status === "trialing" ? count : 0), 0);
}

function isPaid(status: SubscriptionStatus | null): boolean {
  return status !== null && status !== "trialing" && paymentOf(status) === "paid";
}
