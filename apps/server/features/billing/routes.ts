import * as contract from "@countersign/contract/manage/billing";
import { auditLogDays } from "@countersign/domain/audit-log/audit-log-days";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { billingOf, countVersionChecks } from "@countersign/store/queries/billing/billing";
import { userById } from "@countersign/store/queries/identity/users";
import type { OrganizationRow } from "@countersign/store/tables/organizations";

import { type BoundRoute, bind, type Context, type OrganizationContext } from "../../api/context.ts";
import { Shares } from "../../api/shares.ts";
import { Problem } from "../../http/problem.ts";
import { whileWaiting } from "../../limits/waiting.ts";
import { audit } from "../audit-log/record.ts";
import { limitsInUse, planOf } from "../plans/limits.ts";
import { paymentSettings } from "../settings/platform-settings.ts";
import { checkoutUrl } from "./checkout.ts";
import { portalUrl } from "./portal.ts";
import { showSubscription } from "./stored-subscription.ts";
import { askStripe, isMissing, stripeClient } from "./stripe.ts";
import type { PaymentParts } from "./sync.ts";

export const billingRoutes: readonly BoundRoute[] = [
  bind(contract.getBilling, async (context) => {
    const db = context.store.reads;
    const { organization } = context;
    const billing = await billingOf(db, organization.id);
    const plan = await planOf(db, organization);
    const takesPayments = context.config.stripe !== null;
    return {
      plan: plan.id,
      plan_name: plan.name,
      plan_set_by: billing?.plan_set_by ?? "default",
      plan_ends_at: isoTime(organization.plan_ends_at),
      billing_state: organization.billing_state,
      grace_ends_at: isoTime(organization.grace_ends_at),
      subscription: showSubscription(billing),
      payments_available: takesPayments,
      can_manage_payments: takesPayments && (billing?.stripe_customer_id ?? null) !== null,
      contact: (await paymentSettings(db)).contact,
      limits: await limitsInUse(db, organization),
      request_log_days: organization.request_log_days_override ?? plan.request_log_days,
      audit_log_days: auditLogDays({
        ofOrganization: organization.audit_log_days_override,
        ofPlan: plan.audit_log_days,
      }),
      version_checks: {
        included: plan.version_module === 1,
        product_count: await countVersionChecks(db, organization.id),
        on_downgrade: organization.version_checks_on_downgrade,
      },
    };
  }),

  // What follows calls Stripe, before the transaction, which only records what was done.
  bind(contract.startCheckout, async (context, { body: { plan, interval } }) => {
    const parts = requirePayments(context);
    const { organization } = context;
    const locale = await localeOf(context, organization);
    const url = await waitForStripe(context, () =>
      checkoutUrl(parts, { organization, plan, interval, locale }),
    );
    return context.transaction(async (db) => {
      await audit(db, context, {
        action: "organization.checkout_started",
        subject: subjectOf(organization),
        after: { plan, interval },
      });
      return { url };
    });
  }),

  bind(contract.openBillingPortal, async (context) => {
    const parts = requirePayments(context);
    const { organization } = context;
    const locale = await localeOf(context, organization);
    const url = await waitForStripe(context, () => portalUrl(parts, organization, locale));
    return context.transaction(async (db) => {
      await audit(db, context, {
        action: "organization.payment_account_opened",
        subject: subjectOf(organization),
      });
      return { url };
    });
  }),

  bind(contract.listInvoices, async (context) => {
    const parts = paymentsOf(context);
    if (parts === null) return { data: [], next_cursor: null };
    const { id } = context.organization;
    return { data: await waitForStripe(context, () => invoicesOf(parts, id)), next_cursor: null };
  }),
];

/** Each takes up to nine seconds. */
export const paymentCalls = new Shares({ perCaller: 6, perOrganization: 10, inAll: 60 }, "server_busy");
const requestTimeoutSeconds = 15;

async function waitForStripe<T>(context: OrganizationContext, work: () => Promise<T>): Promise<T> {
  const leave = paymentCalls.enter(context);
  try {
    return await whileWaiting(context.request, requestTimeoutSeconds, () => askStripe(context, work));
  } finally {
    leave();
  }
}

function paymentsOf({ store, config }: Context): PaymentParts | null {
  return config.stripe === null ? null : { store, settings: config.stripe, url: config.url };
}

function requirePayments(context: Context): PaymentParts {
  const parts = paymentsOf(context);
  if (parts === null) throw new Problem("payments_unavailable");
  return parts;
}

/** The language of the person who opens the page, or of the organization if it is a program. */
async function localeOf(
  { actor, store }: Context,
  organization: OrganizationRow,
): Promise<OrganizationRow["locale"]> {
  const user = actor?.kind === "person" ? await userById(store.reads, actor.userId) : undefined;
  return user?.locale ?? organization.locale;
}

function subjectOf({ id, name }: OrganizationRow) {
  return { kind: "organization", id, name };
}

const maxInvoices = 24;

/** The latest invoices, as Stripe has them. */
export async function invoicesOf({ store, settings }: PaymentParts, organizationId: string) {
  const customer = (await billingOf(store.reads, organizationId))?.stripe_customer_id ?? null;
  if (customer === null) return [];
  const stripe = await stripeClient(settings);
  try {
    const { data } = await stripe.invoices.list({ customer, limit: maxInvoices });
    return data.map((invoice) => ({
      id: invoice.id,
      number: invoice.number,
      status: invoice.status,
      total: invoice.total,
      currency: invoice.currency,
      created_at: isoTime(invoice.created * 1000),
      url: invoice.hosted_invoice_url ?? null,
      pdf_url: invoice.invoice_pdf ?? null,
    }));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
