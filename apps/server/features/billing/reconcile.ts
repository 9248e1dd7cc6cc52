import { StorageUnavailable } from "@countersign/store/errors/problem";
import { claimSync, dueSyncs, removeBillingOfDeleted } from "@countersign/store/queries/billing/stripe";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import type Stripe from "stripe";
import type { Log } from "../../base/log.ts";
import { neverAborted, slicesOf } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { expireOpenPages } from "./checkout.ts";
import { isMissing, stripeClient, stripeReason } from "./stripe.ts";
import { type PaymentParts, subscriptionsOf, syncOrganization } from "./sync.ts";

const organizationsAtOnce = 50;
/** A comparison that failed, or whose node stopped, is tried again. */
const retryAfterMs = 15 * 60_000;
/** Far below the number of requests that Stripe accepts, which the operator's other programs use too. */
const defaultPauseMs = 200;

/**
 * Compares every organization that has a customer in Stripe with it once a day, in case an event was lost, and cancels
 * the subscriptions of deleted organizations. The node that postpones a comparison does it, so several nodes can run
 * this. After a downtime everything is due, and is done at the same pace.
 */
export function stripeReconciliation(parts: PaymentParts, log: Log, pauseMs = defaultPauseMs): PeriodicJob {
  const { store } = parts;
  const run = async (stopping = neverAborted) => {
    const nowMs = await store.clock();
    const next = () => dueSyncs(store.reads, nowMs, organizationsAtOnce);
    for await (const due of slicesOf(organizationsAtOnce, stopping, next))
      for (const organizationId of due) {
        if (stopping.aborted) return;
        if (await compare(organizationId, nowMs)) await paused(pauseMs, stopping);
      }
  };

  /** Returns whether it was this node's to do. A failure of one organization does not keep others waiting. */
  const compare = async (organizationId: string, nowMs: number): Promise<boolean> => {
    const claimed = await store.transaction((db) =>
      claimSync(db, organizationId, nowMs, nowMs + retryAfterMs),
    );
    if (claimed === undefined) return false;
    try {
      if (!(await isKnown(organizationId, claimed.stripe_customer_id)))
        warn(organizationId, "Stripe does not know the customer. Is the key of the right account and mode?");
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      warn(organizationId, stripeReason(error));
    }
    return true;
  };

  const isKnown = async (organizationId: string, customerId: string | null): Promise<boolean> => {
    const organization = await organizationById(store.reads, organizationId);
    if (organization === undefined || customerId === null) return true;
    if (organization.deleted_at !== null) return cancelSubscriptions(parts, organizationId, customerId);
    return (await syncOrganization(parts, organizationId)) !== "unknown_customer";
  };

  const warn = (organizationId: string, reason: string) =>
    log.warn("An organization could not be compared with Stripe. It will be retried.", {
      organization_id: organizationId,
      reason,
    });

  return { name: "comparison with Stripe", everyMs: 15_000, run };
}

async function paused(ms: number, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => resolve();
  stopping.addEventListener("abort", stop, { once: true });
  await promise;
  clearTimeout(timer);
  stopping.removeEventListener("abort", stop);
}

/**
 * Cancels the subscriptions of a deleted organization, and then removes what is stored about its payments. Its customer
 * and invoices stay in Stripe, for the operator's books. Returns false if Stripe does not know the customer: then there
 * may be a subscription in another account or mode.
 */
async function cancelSubscriptions(
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
