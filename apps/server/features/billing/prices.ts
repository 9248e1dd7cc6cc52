import type { BillingInterval } from "@countersign/domain/billing/subscription";
import { setState, stateOf } from "@countersign/store/queries/admin/platform-state";
import { type PriceTerms, storedPrice, storePrice } from "@countersign/store/queries/billing/prices";
import type { PlanRow } from "@countersign/store/tables/billing";
import type Stripe from "stripe";
import { productId } from "./read-subscription.ts";
import { stripeClient } from "./stripe-client.ts";
import { isMissing, isStripeFailure } from "./stripe-errors.ts";
import type { PaymentParts } from "./sync.ts";

/**
 * Stripe's price for a plan. Found by its lookup key or created, and then stored. With `again`, the stored one is not
 * used: it was archived, or belongs to another account.
 */
export async function priceOf(
  parts: PaymentParts,
  plan: PlanRow,
  { interval, amount, currency }: { interval: BillingInterval; amount: number; currency: string },
  again = false,
): Promise<string> {
  const { store, settings } = parts;
  const terms = { mode: settings.mode, plan: plan.id, interval_unit: interval, currency, amount };
  const stripe = await stripeClient(settings);
  await ensureProduct(parts, stripe, plan, again);
  const stored = again ? undefined : await storedPrice(store.reads, terms);
  if (stored !== undefined) return stored;
  const priceId = (await activePrice(stripe, terms)) ?? (await createPrice(stripe, terms, again));
  await store.transaction((db) => storePrice(db, { ...terms, price_id: priceId }));
  return priceId;
}

async function activePrice(stripe: Stripe, terms: PriceTerms): Promise<string | undefined> {
  const key = lookupKey(terms);
  const { data } = await stripe.prices.list({ lookup_keys: [key], active: true, limit: 1 });
  // Stripe's test server returns a price for any key.
  return data.find((price) => price.lookup_key === key)?.id;
}

async function createPrice(stripe: Stripe, terms: PriceTerms, again: boolean): Promise<string> {
  const key = lookupKey(terms);
  const { id } = await stripe.prices.create(
    {
      product: productId(terms.plan),
      currency: terms.currency,
      unit_amount: terms.amount,
      recurring: { interval: terms.interval_unit },
      lookup_key: key,
      transfer_lookup_key: true,
      metadata: { plan: terms.plan },
    },
    // Two simultaneous checkouts create one price. An archived one must not be returned for its old key.
    again ? {} : { idempotencyKey: `countersign-price-${key}` },
  );
  return id;
}

function lookupKey({ plan, interval_unit, currency, amount }: PriceTerms): string {
  return `countersign_${plan}_${interval_unit}_${currency}_${amount}`;
}

/** Invoices show the name of the product, so it follows the name of the plan. */
async function ensureProduct(
  { store, settings }: PaymentParts,
  stripe: Stripe,
  { id: plan, name }: PlanRow,
  again: boolean,
): Promise<void> {
  const stateName = `stripe_product_${settings.mode}_${plan}`;
  if (!again && (await stateOf(store.reads, stateName)) === name) return;
  const id = productId(plan);
  try {
    await stripe.products.update(id, { name, active: true });
  } catch (error) {
    if (!isMissing(error)) throw error;
    await createProduct(stripe, { id, name, metadata: { plan } });
  }
  await store.transaction((db) => setState(db, stateName, name));
}

async function createProduct(stripe: Stripe, product: Stripe.ProductCreateParams): Promise<void> {
  try {
    await stripe.products.create(product);
  } catch (error) {
    // A simultaneous checkout was faster.
    if (!isStripeFailure(error) || error.code !== "resource_already_exists") throw error;
  }
}
