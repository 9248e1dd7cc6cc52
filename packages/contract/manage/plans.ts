import { plans } from "@countersign/domain/quota/limit";
import { z } from "zod";
import { anyone, platformAdmin, route } from "../api/route.ts";
import { name, page, time, updatedAtGuard } from "../api/shapes.ts";
import { atOnce, auditLogDays } from "./admin.ts";
import { billingStates } from "./billing.ts";

const most = 1_000_000_000_000;

const limit = (description: string) =>
  z
    .int()
    .min(0)
    .max(most)
    .nullable()
    .meta({ description: `${description} Null for no limit.` });

const price = (description: string) =>
  z
    .int()
    .min(1)
    .max(99_999_999)
    .nullable()
    .meta({
      description: `${description}, in the smallest unit of the currency, such as cents. Null if it is not sold that way.`,
    });

/** What the operator can set. */
const planSettings = {
  name,
  daily_limit: limit("Requests per day for each product."),
  version_module: z.boolean().meta({ description: "Whether validations can check versions." }),
  organizations_per_user: z.int().min(0).max(1_000_000).nullable().meta({
    description:
      "How many organizations a user can own, if this is the most generous plan of those they own. Null for no limit.",
  }),
  max_products: limit("Products."),
  max_licenses: limit("Licenses."),
  max_members: limit("Members, including the owner."),
  max_webhooks: limit("Webhooks."),
  request_log_days: z
    .int()
    .min(1)
    .max(3650)
    .nullable()
    .meta({ description: "How long requests are kept in the log. Null for the server's setting." }),
  audit_log_days: auditLogDays("Null for ever."),
  monthly_price: price("The price per month"),
  yearly_price: price("The price per year"),
  trial_days: z
    .int()
    .min(0)
    .max(730)
    .meta({ description: "The length of the free trial with the first subscription. 0 for none." }),
} as const;

export const planShape = z
  .object({
    plan: z.enum(plans),
    ...planSettings,
    currency: z.string().meta({ description: "The ISO 4217 code of the prices' currency, such as usd." }),
    can_be_bought: z.boolean().meta({
      description:
        "Whether it has a price and payments are set up on this server. In Stripe's live mode, the plan must have been saved once.",
    }),
    updated_at: time,
  })
  .meta({ id: "Plan" });

export const listPlans = route({
  id: "listPlans",
  method: "GET",
  path: "/plans",
  summary: "List the plans",
  description: "With their limits and prices, the smallest first.",
  group: "Billing",
  access: anyone("anything"),
  answer: page(planShape),
});

export const updatePlan = route({
  id: "updatePlan",
  method: "PUT",
  path: "/admin/plans/{plan}",
  summary: "Update a plan",
  description:
    `Omitted fields keep their value. ${atOnce} Organizations that exceed a lowered limit keep what they have, but cannot ` +
    "add to it. A new price applies to new subscriptions.",
  group: "Platform",
  access: platformAdmin,
  problems: ["plan_not_found", "changed_meanwhile", "invalid_if_match"],
  body: z.strictObject({ ...z.object(planSettings).partial().shape, ...updatedAtGuard }),
  answer: planShape,
});

export const getRevenue = route({
  id: "getRevenue",
  method: "GET",
  path: "/admin/revenue",
  summary: "Sum up subscriptions and payment states",
  group: "Platform",
  access: platformAdmin,
  answer: z
    .object({
      recurring: z
        .array(
          z.object({
            currency: z.string(),
            monthly_amount: z.int().meta({
              description:
                "What paid subscriptions bring in per month, in the smallest unit of the currency.",
            }),
            subscription_count: z.int(),
          }),
        )
        .meta({ description: "By currency. Trials are not counted; a yearly price counts a twelfth." }),
      trial_count: z.int(),
      organizations: z.array(
        z.object({ plan: z.enum(plans), billing_state: z.enum(billingStates), count: z.int() }),
      ),
    })
    .meta({ id: "Revenue" }),
});
