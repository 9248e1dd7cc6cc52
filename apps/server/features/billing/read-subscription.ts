import {
  type Subscription,
  type SubscriptionStatus,
  subscriptionStatuses,
} from "@countersign/domain/billing/subscription";
import { type Plan, plans } from "@countersign/domain/quota/limit";
import type Stripe from "stripe";

/** Products have fixed IDs, by which the plan of a price is known that was created in Stripe's dashboard. */
export function productId(plan: Plan): string {
  return `countersign_${plan}`;
}

function planOfProduct(product: string | { readonly id: string }): Plan | null {
  const id = typeof product === "string" ? product : product.id;
  return plans.find((plan) => productId(plan) === id) ?? null;
}

/** Reads a subscription that was fetched from Stripe. `priced` has the plans of prices that were created here. */
export function readSubscription(from: Stripe.Subscription, priced: ReadonlyMap<string, Plan>): Subscription {
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
