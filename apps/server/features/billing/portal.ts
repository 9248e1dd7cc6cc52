import { createHash } from "node:crypto";
import { billingIntervals, priceFor } from "@countersign/domain/billing/subscription";
import { setState, stateOf } from "@countersign/store/queries/admin/platform-state";
import { billingOf } from "@countersign/store/queries/billing/billing";
import { allPlans } from "@countersign/store/queries/plans/plans";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type Stripe from "stripe";
import { Problem } from "../../http/problem.ts";
import { paymentSettings } from "../settings/platform-settings.ts";
import { billingPage, priceOf } from "./checkout.ts";
import { isMissing, isStripeFailure, stripeClient } from "./stripe.ts";
import { type PaymentParts, productId } from "./sync.ts";

/** The URL of the page at Stripe where a customer changes how they pay. */
export async function portalUrl(
  parts: PaymentParts,
  organization: OrganizationRow,
  locale: OrganizationRow["locale"],
): Promise<string> {
  const billing = await billingOf(parts.store.reads, organization.id);
  const customer = billing?.stripe_customer_id ?? null;
  if (customer === null) throw new Problem("no_payment_account");
  const stripe = await stripeClient(parts.settings);
  const open = async (configuration: string) =>
    stripe.billingPortal.sessions.create({
      customer,
      configuration,
      locale,
      return_url: billingPage(parts.url, organization),
    });
  try {
    const { url } = await open(await configurationOf(parts, stripe));
    return url;
  } catch (error) {
    // Deleted in Stripe, or from another account or mode. The next checkout replaces it.
    if (isMissing(error, "customer")) throw new Problem("no_payment_account");
    if (!isMissing(error, "configuration")) throw error;
    const { url } = await open(await configurationOf(parts, stripe, true));
    return url;
  }
}

/** What the page allows, as it is in Stripe. */
interface StoredConfiguration {
  readonly id: string;
  /** A hash of all its settings. */
  readonly settings: string;
}

/**
 * The page's configuration. It has the current prices, so it is changed after they are. With `again`, the stored one is
 * not used: it belongs to another account.
 */
async function configurationOf(parts: PaymentParts, stripe: Stripe, again = false): Promise<string> {
  const { store, settings, url } = parts;
  const stateName = `stripe_portal_${settings.mode}`;
  const text = again ? null : await stateOf(store.reads, stateName);
  const stored = text === null ? null : (JSON.parse(text) as StoredConfiguration);
  let wanted = configuration(url, await productsForSale(parts));
  if (stored?.settings === hashOf(wanted)) return stored.id;
  const write = () => writeConfiguration(stripe, stored?.id ?? null, wanted);
  const id = await write().catch(async (error) => {
    if (!isAboutPrices(error)) throw error;
    wanted = configuration(url, await productsForSale(parts, true));
    return write();
  });
  const value: StoredConfiguration = { id, settings: hashOf(wanted) };
  await store.transaction((db) => setState(db, stateName, JSON.stringify(value)));
  return id;
}

function hashOf(wanted: object): string {
  return createHash("sha256").update(JSON.stringify(wanted)).digest("hex");
}

/** A price was archived, or belongs to another account. */
function isAboutPrices(error: unknown): boolean {
  return isStripeFailure(error) && error.param?.startsWith("features[subscription_update]") === true;
}

async function writeConfiguration(
  stripe: Stripe,
  id: string | null,
  wanted: Stripe.BillingPortal.ConfigurationCreateParams,
): Promise<string> {
  const { configurations } = stripe.billingPortal;
  if (id === null) return (await configurations.create(wanted)).id;
  try {
    return (await configurations.update(id, wanted)).id;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return (await configurations.create(wanted)).id;
  }
}

type ProductsForSale = { readonly product: string; readonly prices: string[] }[];

async function productsForSale(parts: PaymentParts, again = false): Promise<ProductsForSale> {
  const { currency } = await paymentSettings(parts.store.reads);
  const products: ProductsForSale = [];
  for (const plan of await allPlans(parts.store.reads)) {
    const prices: string[] = [];
    for (const interval of billingIntervals) {
      const amount = priceFor(plan, interval, parts.settings.mode);
      if (amount !== null) prices.push(await priceOf(parts, plan, { interval, amount, currency }, again));
    }
    if (prices.length > 0) products.push({ product: productId(plan.id), prices });
  }
  return products;
}

function configuration(
  url: string,
  products: ProductsForSale,
): Stripe.BillingPortal.ConfigurationCreateParams & Stripe.BillingPortal.ConfigurationUpdateParams {
  return {
    default_return_url: url,
    features: {
      customer_update: { enabled: true, allowed_updates: ["name", "email", "address", "tax_id"] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: "at_period_end" },
      subscription_update:
        products.length === 0
          ? { enabled: false }
          : {
              enabled: true,
              default_allowed_updates: ["price", "promotion_code"],
              // The difference is paid at once. Otherwise a yearly upgrade would be paid a year later.
              proration_behavior: "always_invoice",
              products,
            },
    },
    metadata: { application: "countersign" },
  };
}
