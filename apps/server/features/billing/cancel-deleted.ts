import { removeBillingOfDeleted } from "@countersign/store/queries/billing/sync";
import type Stripe from "stripe";
import { expireOpenPages } from "./checkout.ts";
import { stripeClient } from "./stripe-client.ts";
import { isMissing } from "./stripe-errors.ts";
import { type PaymentParts, subscriptionsOf } from "./sync.ts";

/**
 * Cancels the subscriptions of a deleted organization, and then removes what is stored about its payments. Its customer
 * and invoices stay in Stripe, for the operator's books. Returns false if Stripe does not know the customer: then there
 * may be a subscription in another account or mode.
 */
export async function cancelSubscriptions(
  { store, settings }: PaymentParts,
  organizationId: string,
  customerId: string,
): Promise<boolean> {
  const stripe = await stripeClient(settings);
  // First the pages that are open, because each could start another subscription.
  await expireOpenPages(stripe, customerId);
  const subscriptions = await subscriptionsOf(stripe, customerId);
  if (subscriptions === null) return false;
  for (const { id, status } of subscriptions) {
    if (status !== "canceled" && status !== "incomplete_expired") await cancel(stripe, id);
  }
  await store.transaction((db) => removeBillingOfDeleted(db, organizationId, customerId));
  return true;
}

/** Without a refund or a last invoice. */
async function cancel(stripe: Stripe, subscriptionId: string): Promise<void> {
  try {
    await stripe.subscriptions.cancel(subscriptionId, { invoice_now: false, prorate: false });
  } catch (error) {
    // Another node was faster.
    if (!isMissing(error)) throw error;
  }
}
