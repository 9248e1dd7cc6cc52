import {
  billingIntervals,
  planSources,
  subscriptionStatuses,
} from "@countersign/domain/billing/subscription";
import { plans } from "@countersign/domain/quota/limit";
import { z } from "zod";
import { smallBody } from "../api/body-limit.ts";
import { member, route } from "../api/route.ts";
import { page, time } from "../api/shapes.ts";

const group = "Billing";

export const billingStates = ["active", "grace", "suspended", "cancelled"] as const;

export const subscription = z
  .object({
    status: z.enum(subscriptionStatuses),
    plan: z.enum(plans),
    interval: z.enum(billingIntervals),
    amount: z.int().meta({ description: "Per interval, in the smallest unit of the currency." }),
    currency: z.string(),
    period_ends_at: time.nullable().meta({ description: "When it renews or ends." }),
    cancels_at: time
      .nullable()
      .meta({ description: "When it ends because it was canceled. Null if it renews." }),
    trial_ends_at: time.nullable(),
  })
  .meta({ id: "Subscription" });

/** What an organization has, and how much of it its plan allows. */
export const limitNames = ["products", "licenses", "members", "webhooks"] as const;

export const limitUse = z
  .object({
    name: z.enum(limitNames),
    used: z.int(),
    limit: z.int().nullable().meta({ description: "Null for no limit." }),
  })
  .meta({ id: "LimitUse" });

export const getBilling = route({
  id: "getBilling",
  method: "GET",
  path: "/organizations/{organization_id}/billing",
  summary: "Get the plan, its limits and how it is paid",
  group,
  access: member("billing:view", "billing:manage"),
  answer: z
    .object({
      plan: z.enum(plans),
      plan_name: z.string(),
      plan_set_by: z.enum(planSources).meta({
        description: "What decided on the plan: the default of this server, its operator, or a subscription.",
      }),
      plan_ends_at: time
        .nullable()
        .meta({ description: "When a plan that the operator set ends. Null if it does not." }),
      billing_state: z.enum(billingStates),
      grace_ends_at: time
        .nullable()
        .meta({ description: "When validations stop because a payment is overdue. Null unless in `grace`." }),
      subscription: subscription.nullable(),
      payments_available: z.boolean().meta({
        description: "Whether this server takes payments. Otherwise its operator sets plans by hand.",
      }),
      can_manage_payments: z
        .boolean()
        .meta({ description: "Whether the organization has a payment account to open." }),
      contact: z.string().nullable().meta({
        description: "Whom to ask about plans: an email address or a URL. Null if the operator set none.",
      }),
      limits: z.array(limitUse),
      request_log_days: z
        .int()
        .nullable()
        .meta({ description: "How long requests are kept in the log. Null for the server's setting." }),
      audit_log_days: z
        .int()
        .nullable()
        .meta({ description: "How many days the audit log is kept. Null for ever." }),
      version_checks: z
        .object({
          included: z.boolean().meta({ description: "Whether the plan includes the version module." }),
          product_count: z
            .int()
            .meta({ description: "How many products check versions, or would on a plan that includes it." }),
          on_downgrade: z.enum(["enforce", "report"]).meta({
            description:
              "What those products do on a plan without it: keep refusing versions, or only report them. Change it with `version_checks_on_downgrade` of the organization.",
          }),
        })
        .meta({ description: "What happens to version checks on a plan without the version module." }),
    })
    .meta({ id: "Billing" }),
});

const url = z.object({ url: z.string().meta({ description: "Where to send the browser." }) });

export const startCheckout = route({
  id: "startCheckout",
  method: "POST",
  path: "/organizations/{organization_id}/billing/checkout",
  summary: "Start a subscription",
  description:
    "Returns the URL of a payment page at Stripe, where the person can enter a promotion code and a tax ID. The plan applies as soon as the payment is confirmed.",
  group,
  access: member("billing:manage"),
  whileUnpaid: true,
  problems: [
    "payments_unavailable",
    "plan_not_for_sale",
    "already_subscribed",
    "plan_set_by_operator",
    "payment_provider_failed",
  ],
  body: z.strictObject({
    plan: z.enum(["pro", "enterprise"]),
    interval: z
      .preprocess(
        (value) => (value === "monthly" ? "month" : value === "yearly" ? "year" : value),
        z.enum(billingIntervals),
      )
      .meta({ description: "`monthly` and `yearly` are accepted too." }),
  }),
  answer: url.meta({ id: "CheckoutPage" }),
  status: 200,
});

export const openBillingPortal = route({
  id: "openBillingPortal",
  method: "POST",
  path: "/organizations/{organization_id}/billing/portal",
  summary: "Open the payment account",
  description:
    "Returns the URL of a page at Stripe where the person can change the plan, the payment method and the tax ID, see invoices, and cancel.",
  group,
  access: member("billing:manage"),
  whileUnpaid: true,
  problems: ["payments_unavailable", "no_payment_account", "payment_provider_failed"],
  // Nothing is ignored: whatever is sent here by mistake, such as a card number, is refused.
  body: z.strictObject({}),
  bodyLimit: smallBody,
  answer: url.meta({ id: "BillingPortalPage" }),
  status: 200,
});

export const listInvoices = route({
  id: "listInvoices",
  method: "GET",
  path: "/organizations/{organization_id}/billing/invoices",
  summary: "List invoices, newest first",
  description: "The latest 24. Empty if the organization has never paid here.",
  group,
  access: member("billing:view", "billing:manage"),
  problems: ["payment_provider_failed"],
  answer: page(
    z
      .object({
        id: z.string(),
        number: z.string().nullable(),
        status: z
          .string()
          .nullable()
          .meta({ description: "As Stripe names it: draft, open, paid, uncollectible or void." }),
        total: z.int().meta({ description: "In the smallest unit of the currency." }),
        currency: z.string(),
        created_at: time,
        url: z.string().nullable().meta({ description: "Where it can be viewed and paid." }),
        pdf_url: z.string().nullable(),
      })
      .meta({ id: "Invoice" }),
  ),
});
