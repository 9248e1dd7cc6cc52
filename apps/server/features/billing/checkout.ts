import { createHash } from "node:crypto";
import { type BillingInterval, paymentOf, priceFor } from "@countersign/domain/billing/subscription";
import { holdsPlan } from "@countersign/domain/billing/terms";
import type { Plan } from "@countersign/domain/quota/limit";
import { setState, stateOf } from "@countersign/store/queries/admin/platform-state";
import { billingOf, lockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import { type PriceTerms, storedPrice, storePrice } from "@countersign/store/queries/billing/stripe";
import { userById } from "@countersign/store/queries/identity/users";
import { planById } from "@countersign/store/queries/plans/plans";
import type { OrganizationBillingRow, PlanRow } from "@countersign/store/tables/billing";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type Stripe from "stripe";
import { Problem } from "../../http/problem.ts";
import { paymentSettings } from "../settings/platform-settings.ts";
import { termsOf } from "./change-terms.ts";
import { isMissing, isStripeFailure, stripeClient } from "./stripe.ts";
import { type PaymentParts, productId, syncEveryMs, syncOrganization } from "./sync.ts";

export interface CheckoutRequest {
  readonly organization: OrganizationRow;
  readonly plan: Plan;
  readonly interval: BillingInterval;
  /** The language of the payment page. */
  readonly locale: OrganizationRow["locale"];
}

/** The URL of a payment page for a plan. The card is entered there: no card number ever reaches this server. */
export async function checkoutUrl(parts: PaymentParts, request: CheckoutRequest): Promise<string> {
  const { store } = parts;
  const { organization, interval } = request;
  const plan = await planById(store.reads, request.plan);
  const { currency, automaticTax } = await paymentSettings(store.reads);
  const amount = priceFor(plan, interval, parts.settings.mode);
  const stored = await billingOf(store.reads, organization.id);
  if (holdsPlan(termsOf(organization, stored))) throw new Problem("plan_set_by_operator");
  if (amount === null) throw new Problem("plan_not_for_sale");
  const billing = await withoutSubscription(parts, organization.id);
  const stripe = await stripeClient(parts.settings);
  let customer = await customerOf(parts, organization);
  let price = await priceOf(parts, plan, { interval, amount, currency });
  await expireOpenPages(stripe, customer);
  // Twice at most each: the customer or the price can be missing in Stripe.
  for (const wasReplaced = new Set<string>(); ; ) {
    try {
      const page = await stripe.checkout.sessions.create(
        sessionOf(parts, request, { plan, customer, price, automaticTax, billing }),
      );
      if (page.url === null) throw new Error("Stripe created a checkout session without a URL.");
      return page.url;
    } catch (error) {
      if (isMissing(error, "customer") && !wasReplaced.has("customer")) {
        wasReplaced.add("customer");
        customer = await customerOf(parts, organization, customer);
      } else if (isAboutPrice(error) && !wasReplaced.has("price")) {
        wasReplaced.add("price");
        price = await priceOf(parts, plan, { interval, amount, currency }, true);
      } else throw error;
    }
  }
}

/** Asks Stripe, because the event about a payment may not have arrived yet. Returns the row as it is then. */
async function withoutSubscription(
  parts: PaymentParts,
  organizationId: string,
): Promise<OrganizationBillingRow | undefined> {
  const result = await syncOrganization(parts, organizationId);
  const billing = await billingOf(parts.store.reads, organizationId);
  const status = billing?.subscription_status ?? null;
  // A subscription in another account or mode cannot be changed there.
  const isSubscribed = status !== null && paymentOf(status) !== "none" && result !== "unknown_customer";
  if (isSubscribed) throw new Problem("already_subscribed");
  return billing;
}

const maxPages = 100;

/** Someone who has the page open in two tabs could otherwise pay twice. */
export async function expireOpenPages(stripe: Stripe, customer: string): Promise<void> {
  const { data } = await openPages(stripe, customer);
  for (const page of data) {
    try {
      await stripe.checkout.sessions.expire(page.id);
    } catch (error) {
      // It was paid or has expired in the meantime.
      if (!isStripeFailure(error) || error.type !== "StripeInvalidRequestError") throw error;
    }
  }
}

async function openPages(
  stripe: Stripe,
  customer: string,
): Promise<{ readonly data: readonly Stripe.Checkout.Session[] }> {
  try {
    return await stripe.checkout.sessions.list({ customer, status: "open", limit: maxPages });
  } catch (error) {
    if (isMissing(error)) return { data: [] };
    throw error;
  }
}

function sessionOf(
  { url }: PaymentParts,
  { organization, locale }: CheckoutRequest,
  chosen: {
    readonly plan: PlanRow;
    readonly customer: string;
    readonly price: string;
    readonly automaticTax: boolean;
    readonly billing: OrganizationBillingRow | undefined;
  },
): Stripe.Checkout.SessionCreateParams {
  const { plan, customer, price, automaticTax, billing } = chosen;
  const metadata = { organization_id: organization.id, plan: plan.id };
  const hasTrial = plan.trial_days > 0 && billing?.had_trial !== 1;
  return {
    mode: "subscription",
    customer,
    client_reference_id: organization.id,
    line_items: [{ price, quantity: 1 }],
    success_url: `${billingPage(url, organization)}?checkout=done`,
    cancel_url: `${billingPage(url, organization)}?checkout=cancelled`,
    locale,
    allow_promotion_codes: true,
    tax_id_collection: { enabled: true },
    // Required for tax IDs and taxes of a customer who exists.
    customer_update: { name: "auto", address: "auto" },
    automatic_tax: { enabled: automaticTax },
    metadata,
    subscription_data: { metadata, ...(hasTrial ? { trial_period_days: plan.trial_days } : {}) },
  };
}

/** The page of the dashboard that shows an organization's plan. */
export function billingPage(url: string, { slug }: Pick<OrganizationRow, "slug">): string {
  return `${url}/o/${slug}/settings/billing`;
}

/** The price was archived, or belongs to another account. */
function isAboutPrice(error: unknown): boolean {
  return isStripeFailure(error) && error.param?.startsWith("line_items") === true;
}

/**
 * The organization's customer in Stripe, created if there is none. `lost` is a stored customer that Stripe does not
 * know: it was deleted there, or belongs to another account or mode, and is replaced.
 */
export async function customerOf(
  { store, settings }: PaymentParts,
  organization: OrganizationRow,
  lost: string | null = null,
): Promise<string> {
  const stored = (await billingOf(store.reads, organization.id))?.stripe_customer_id ?? null;
  if (stored !== null && stored !== lost) return stored;
  const owner =
    organization.owner_id === null ? undefined : await userById(store.reads, organization.owner_id);
  const details = {
    name: organization.name,
    ...(owner === undefined ? {} : { email: owner.email }),
    preferred_locales: [organization.locale],
    metadata: { organization_id: organization.id },
  };
  const stripe = await stripeClient(settings);
  const { id } = await stripe.customers.create(details, {
    idempotencyKey: keyOf(settings.mode, lost, details),
  });
  const nowMs = await store.clock();
  return store.transaction(async (db) => {
    const locked = await lockedBilling(db, organization.id);
    if (locked === undefined || locked.organization.deleted_at !== null) throw new Problem("not_found");
    const current = locked.billing.stripe_customer_id;
    // Another request was faster.
    if (current !== null && current !== lost) return current;
    await updateBilling(db, organization.id, {
      stripe_customer_id: id,
      sync_due_at: nowMs + syncEveryMs,
      updated_at: nowMs,
    });
    return id;
  });
}

/**
 * The same for simultaneous requests, so that they create one customer. Stripe refuses a key that was used with other
 * details, so these are part of it.
 */
function keyOf(mode: string, lost: string | null, details: object): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([mode, lost, details]))
    .digest("hex");
  return `countersign-customer-${hash}`;
}

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
