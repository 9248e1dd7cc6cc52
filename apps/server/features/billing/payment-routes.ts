import * as contract from "@countersign/contract/manage/billing";
import { userById } from "@countersign/store/queries/identity/users";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { type BoundRoute, bind } from "../../api/bind.ts";
import type { Context, OrganizationContext } from "../../api/context.ts";
import { Shares } from "../../api/shares.ts";
import { Problem } from "../../http/problem.ts";
import { whileWaiting } from "../../limits/waiting.ts";
import { audit } from "../audit-log/record.ts";
import { checkoutUrl } from "./checkout.ts";
import { invoicesOf } from "./invoices.ts";
import { portalUrl } from "./portal.ts";
import { askStripe } from "./stripe-errors.ts";
import type { PaymentParts } from "./sync.ts";

/** The routes that call Stripe. They do it before their transaction, which only records what was done. */
export const paymentRoutes: readonly BoundRoute[] = [
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
const longestSeconds = 15;

async function waitForStripe<T>(context: OrganizationContext, work: () => Promise<T>): Promise<T> {
  const leave = paymentCalls.enter(context);
  try {
    return await whileWaiting(context.request, longestSeconds, () => askStripe(context, work));
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
