import { type BillingInterval, paymentOf, priceFor } from "@countersign/domain/billing/subscription";
import { holdsPlan } from "@countersign/domain/billing/terms";
import type { Plan } from "@countersign/domain/quota/limit";
import { billingOf } from "@countersign/store/queries/billing/billing";
import { planById } from "@countersign/store/queries/plans/plans";
import type { OrganizationBillingRow, PlanRow } from "@countersign/store/tables/billing";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type Stripe from "stripe";
import { Problem } from "../../http/problem.ts";
import { paymentSettings } from "../settings/platform-settings.ts";
import { termsOf } from "./change-terms.ts";
import { customerOf } from "./customer.ts";
import { priceOf } from "./prices.ts";
import { stripeClient } from "./stripe-client.ts";
import { isMissing, isStripeFailure } from "./stripe-errors.ts";
import { type PaymentParts, syncOrganization } from "./sync.ts";

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
  const known = await billingOf(store.reads, organization.id);
  if (holdsPlan(termsOf(organization, known))) throw new Problem("plan_set_by_operator");
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

const mostPages = 100;

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
    return await stripe.checkout.sessions.list({ customer, status: "open", limit: mostPages });
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
