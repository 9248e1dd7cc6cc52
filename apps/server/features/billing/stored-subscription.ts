import type { Subscription } from "@countersign/domain/billing/subscription";
import { isoTime } from "@countersign/domain/dates/iso-time";
import type { OrganizationBillingRow } from "@countersign/store/tables/billing";

/** The subscription as it was last fetched from Stripe; null without one. */
export function storedSubscription(billing: OrganizationBillingRow | undefined): Subscription | null {
  if (billing === undefined) return null;
  const { subscription_id: id, subscription_status: status, subscription_interval: interval } = billing;
  if (id === null || status === null || interval === null) return null;
  return {
    id,
    status,
    plan: billing.subscription_plan,
    interval,
    amount: billing.subscription_amount ?? 0,
    currency: billing.subscription_currency ?? "",
    // Only matters among several of a customer, of which one is stored.
    createdAtMs: 0,
    periodEndsAtMs: billing.period_ends_at,
    cancelsAtMs: billing.cancels_at,
    trialEndsAtMs: billing.trial_ends_at,
  };
}

/** The subscription as the API shows it; null without one. */
export function showSubscription(billing: OrganizationBillingRow | undefined) {
  const subscription = storedSubscription(billing);
  if (subscription === null || subscription.plan === null) return null;
  const { status, plan, interval, amount, currency } = subscription;
  return {
    status,
    plan,
    interval,
    amount,
    currency,
    period_ends_at: isoTime(subscription.periodEndsAtMs),
    cancels_at: isoTime(subscription.cancelsAtMs),
    trial_ends_at: isoTime(subscription.trialEndsAtMs),
  };
}
