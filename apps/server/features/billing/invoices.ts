import { billingOf } from "@countersign/store/queries/billing/billing";
import { iso } from "../../api/page.ts";
import { stripeClient } from "./stripe-client.ts";
import { isMissing } from "./stripe-errors.ts";
import type { PaymentParts } from "./sync.ts";

const mostInvoices = 24;

/** The latest invoices, as Stripe has them. */
export async function invoicesOf({ store, settings }: PaymentParts, organizationId: string) {
  const customer = (await billingOf(store.reads, organizationId))?.stripe_customer_id ?? null;
  if (customer === null) return [];
  const stripe = await stripeClient(settings);
  try {
    const { data } = await stripe.invoices.list({ customer, limit: mostInvoices });
    return data.map((invoice) => ({
      id: invoice.id,
      number: invoice.number,
      status: invoice.status,
      total: invoice.total,
      currency: invoice.currency,
      created_at: iso(invoice.created * 1000),
      url: invoice.hosted_invoice_url ?? null,
      pdf_url: invoice.invoice_pdf ?? null,
    }));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
