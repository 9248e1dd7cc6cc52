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
