import type { OrganizationBillingRow } from "@countersign/store/tables/billing";
import { iso } from "../../api/page.ts";
import { storedSubscription } from "./stored-subscription.ts";

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
    period_ends_at: iso(subscription.periodEndsAtMs),
    cancels_at: iso(subscription.cancelsAtMs),
    trial_ends_at: iso(subscription.trialEndsAtMs),
  };
}
