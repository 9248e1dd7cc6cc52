import {
  currentSubscription,
  type Subscription,
  type SubscriptionStatus,
  subscriptionStatuses,
} from "@countersign/domain/billing/subscription";
import { withSubscription } from "@countersign/domain/billing/terms";
import { dayMs } from "@countersign/domain/dates/lengths";
import { type Plan, plans } from "@countersign/domain/quota/limit";
import { lockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import { plansOfPrices, takeSyncTicket } from "@countersign/store/queries/billing/stripe";
import type { Database, Store } from "@countersign/store/store";
import type { OrganizationBillingRow } from "@countersign/store/tables/billing";
import type Stripe from "stripe";
import type { StripeSettings } from "../../base/services.ts";
import { changeTerms, termsOf } from "./change-terms.ts";
import { isMissing, stripeClient } from "./stripe.ts";

export interface PaymentParts {
  readonly store: Store;
  readonly settings: StripeSettings;
  /** The URL of this server. */
  readonly url: string;
}

/**
 * - `applied`: the organization is as the subscription says.
 * - `superseded`: a fetch that started later was stored already.
 * - `unknown_customer`: the customer is in another account or mode, so nothing is known about the subscription.
 * - `nothing`: the organization has no customer, or no longer exists.
 */
type SyncResult = "applied" | "superseded" | "unknown_customer" | "nothing";

/** Every organization is compared with Stripe this long after the last time. */
export const syncEveryMs = dayMs;

/** More than a customer can have. */
const maxSubscriptions = 100;

/**
 * Fetches an organization's subscription from Stripe and applies it. The state is always fetched and never taken from
 * an event, so the order of events does not matter. Of simultaneous fetches the one that started last counts: a ticket
 * is taken before, and the result is stored only if none with a later ticket was.
 */
export async function syncOrganization(
  { store, settings, url }: PaymentParts,
  organizationId: string,
  options: Stripe.RequestOptions = {},
): Promise<SyncResult> {
  const taken = await store.transaction((db) => takeSyncTicket(db, organizationId));
  if (taken === undefined) return "nothing";
  const { ticket, customerId } = taken;
  const stripe = await stripeClient(settings);
  const stripeSubscriptions = await subscriptionsOf(stripe, customerId, options);
  if (stripeSubscriptions === null) return "unknown_customer";
  const subscriptions = await readAll(store.reads, stripeSubscriptions);
  const nowMs = await store.clock();
  return store.transaction(async (db) => {
    const locked = await lockedBilling(db, organizationId);
    if (locked === undefined) return "nothing";
    const { organization, billing } = locked;
    if (organization.deleted_at !== null || billing.stripe_customer_id !== customerId) return "nothing";
    if (billing.sync_applied >= ticket) return "superseded";
    const current = currentSubscription(subscriptions);
    const columns = {
      ...subscriptionColumns(current),
      had_trial: billing.had_trial === 1 || subscriptions.some(hadTrial) ? 1 : 0,
      sync_applied: ticket,
      synced_at: nowMs,
      sync_due_at: nowMs + syncEveryMs,
      updated_at: nowMs,
    } as const;
    await updateBilling(db, organizationId, columns);
    const next = withSubscription(termsOf(organization, billing), current, nowMs);
    const actor = { kind: "system", name: "Stripe" } as const;
    await changeTerms(db, { organization, billing: { ...billing, ...columns }, next, actor, url }, nowMs);
    return "applied";
  });
}

/** All subscriptions of a customer; null if the customer is unknown to Stripe. */
export async function subscriptionsOf(
  stripe: Stripe,
  customerId: string,
  options: Stripe.RequestOptions = {},
): Promise<Stripe.Subscription[] | null> {
  try {
    const query = { customer: customerId, status: "all", limit: maxSubscriptions } as const;
    return (await stripe.subscriptions.list(query, options)).data;
  } catch (error) {
    if (!isMissing(error)) throw error;
    // A customer who was deleted has no subscription. One from another account or mode may have.
    return (await isDeletedCustomer(stripe, customerId, options)) ? [] : null;
  }
}

async function isDeletedCustomer(
  stripe: Stripe,
  customerId: string,
  options: Stripe.RequestOptions,
): Promise<boolean> {
  try {
    return (await stripe.customers.retrieve(customerId, {}, options)).deleted === true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function readAll(
  db: Database,
  subscriptions: readonly Stripe.Subscription[],
): Promise<readonly Subscription[]> {
  const priceIds = subscriptions.flatMap(({ items }) => items.data.map(({ price }) => price.id));
  const priced = await plansOfPrices(db, [...new Set(priceIds)]);
  return subscriptions.map((one) => readSubscription(one, priced));
}

function hadTrial({ trialEndsAtMs }: Subscription): boolean {
  return trialEndsAtMs !== null;
}

function subscriptionColumns(current: Subscription | null): Partial<OrganizationBillingRow> {
  return {
    subscription_id: current?.id ?? null,
    subscription_status: current?.status ?? null,
    subscription_plan: current?.plan ?? null,
    subscription_interval: current?.interval ?? null,
    subscription_amount: current?.amount ?? null,
    subscription_currency: current?.currency ?? null,
    period_ends_at: current?.periodEndsAtMs ?? null,
    cancels_at: current?.cancelsAtMs ?? null,
    trial_ends_at: current?.trialEndsAtMs ?? null,
  };
}

/** Products have fixed IDs, by which the plan of a price is known that was created in Stripe's dashboard. */
export function productId(plan: Plan): string {
  return `countersign_${plan}`;
}

function planOfProduct(product: string | { readonly id: string }): Plan | null {
  const id = typeof product === "string" ? product : product.id;
  return plans.find((plan) => productId(plan) === id) ?? null;
}

/** Reads a subscription that was fetched from Stripe. `priced` has the plans of prices that were created here. */
function readSubscription(from: Stripe.Subscription, priced: ReadonlyMap<string, Plan>): Subscription {
  const items = from.items.data.map((item) => ({
    item,
    plan: priced.get(item.price.id) ?? planOfProduct(item.price.product),
  }));
  // A subscription can have other items too, which the operator added.
  const { item, plan } = items.find((one) => one.plan !== null) ?? items[0] ?? { item: null, plan: null };
  const periodEndsAtMs = ms(item?.current_period_end ?? null);
  return {
    id: from.id,
    status: statusOf(from),
    plan,
    interval: item?.price.recurring?.interval === "year" ? "year" : "month",
    amount: (item?.price.unit_amount ?? 0) * (item?.quantity ?? 1),
    currency: from.currency,
    createdAtMs: from.created * 1000,
    periodEndsAtMs,
    cancelsAtMs: ms(from.cancel_at) ?? (from.cancel_at_period_end ? periodEndsAtMs : null),
    trialEndsAtMs: ms(from.trial_end),
  };
}

/** An unknown status must not change anything: the version of Stripe's API is fixed, so this is a bug. */
function statusOf({ id, status }: Stripe.Subscription): SubscriptionStatus {
  const known = subscriptionStatuses.find((one) => one === status);
  if (known === undefined) throw new Error(`Stripe's subscription ${id} has the unknown status ${status}.`);
  return known;
}

function ms(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}
