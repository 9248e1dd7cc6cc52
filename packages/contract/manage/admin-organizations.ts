import { planSources } from "@countersign/domain/billing/subscription";
import { plans } from "@countersign/domain/quota/limit";
import { z } from "zod";
import { platformAdmin, route } from "../api/route.ts";
import { flagQuery, id, inSteps, page, pageQuery, time, updatedAtGuard } from "../api/shapes.ts";
import { atOnce, auditLogDays, counted, q, reason } from "./admin.ts";
import { billingStates, limitUse, subscription } from "./billing.ts";
import { organization } from "./organizations.ts";

const group = "Platform";
const access = platformAdmin;

const override = (description: string) =>
  z
    .int()
    .min(0)
    .max(1_000_000_000_000)
    .nullable()
    .meta({ description: `${description} Null for the plan's limit.` });

/** Limits for one organization, instead of its plan's. */
const limitOverrides = {
  max_products_override: override("Products."),
  max_licenses_override: override("Licenses."),
  max_members_override: override("Members, including the owner."),
  max_webhooks_override: override("Webhooks."),
  request_log_days_override: z
    .int()
    .min(1)
    .max(3650)
    .nullable()
    .meta({ description: "How many days requests are kept in the log. Null for the plan's limit." }),
  audit_log_days_override: auditLogDays("Null for the plan's limit."),
} as const;

const listedOrganization = organization
  .extend({
    owner: z.object({ id, name: z.string(), email: z.string() }).nullable(),
    product_count: counted("100,000"),
    license_count: z.int(),
    requests_today: z
      .int()
      .meta({ description: "Requests of all its products that count towards the daily limit." }),
    plan_set_by: z.enum(planSources),
    subscription: subscription.nullable(),
    ...limitOverrides,
  })
  .meta({ id: "PlatformOrganization" });

const shownOrganization = listedOrganization
  .extend({
    member_count: counted("100,000, without the owner"),
    waiting_email_count: counted("100,000").meta({
      description:
        "Emails to its customers that are waiting because of the daily limit, counted up to 100,000.",
    }),
    plan_note: z.string().nullable().meta({ description: "The platform admins' note about the plan." }),
    limits: z.array(limitUse),
    stripe_customer_id: z.string().nullable(),
    impersonated_until: time
      .nullable()
      .meta({ description: "Until when you view it, read-only. Null if you are not." }),
  })
  .meta({ id: "PlatformOrganizationDetails" });

export const listPlatformOrganizations = route({
  id: "listPlatformOrganizations",
  method: "GET",
  path: "/admin/organizations",
  summary: "List and search all organizations",
  description: `Newest first. \`q\` searches the name, the slug and the owner's email address; slugs that start with it come first. ${inSteps}`,
  group,
  access,
  query: pageQuery.extend({
    q,
    plan: z.enum(plans).optional(),
    billing_state: z.enum(billingStates).optional(),
    suspended: flagQuery.optional(),
  }),
  answer: page(listedOrganization),
});

export const getPlatformOrganization = route({
  id: "getPlatformOrganization",
  method: "GET",
  path: "/admin/organizations/{organization_id}",
  summary: "Get any organization",
  group,
  access,
  problems: ["organization_not_found"],
  answer: shownOrganization,
});

export const updatePlatformOrganization = route({
  id: "updatePlatformOrganization",
  method: "PATCH",
  path: "/admin/organizations/{organization_id}",
  summary: "Update an organization's plan, limits and billing state",
  description: `A plan set here stays until \`plan_ends_at\`, whatever the organization pays for. ${atOnce}`,
  group,
  access,
  problems: ["organization_not_found"],
  body: z.strictObject({
    plan: z.enum(plans).optional(),
    daily_limit_override: z
      .int()
      .min(0)
      .max(1_000_000_000_000)
      .nullable()
      .optional()
      .meta({ description: "Requests per day for each product. Null for the plan's limit." }),
    daily_emails_override: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .nullable()
      .optional()
      .meta({ description: "Emails per day to its customers. Null for the server's default." }),
    billing_state: z.enum(billingStates).optional().meta({
      description: "`grace` starts the grace period of 7 days. A subscription's next change overrides it.",
    }),
    ...z.object(limitOverrides).partial().shape,
    plan_note: z
      .string()
      .trim()
      .max(2_000)
      .nullable()
      .optional()
      .meta({ description: "A note about the plan that only platform admins see." }),
    plan_ends_at: time
      .nullable()
      .optional()
      .meta({ description: "When the organization falls back to Free. Null for never." }),
    ...updatedAtGuard,
  }),
  answer: shownOrganization,
});

export const suspendPlatformOrganization = route({
  id: "suspendPlatformOrganization",
  method: "POST",
  path: "/admin/organizations/{organization_id}/suspend",
  summary: "Suspend an organization",
  description: `Validations return \`org_suspended\`, and nothing in the organization can be changed. ${atOnce}`,
  group,
  access,
  problems: ["organization_not_found"],
  body: z.strictObject({ reason }),
  answer: shownOrganization,
  status: 200,
});

export const restorePlatformOrganization = route({
  id: "restorePlatformOrganization",
  method: "POST",
  path: "/admin/organizations/{organization_id}/restore",
  summary: "Lift an organization's suspension",
  description: atOnce,
  group,
  access,
  problems: ["organization_not_found"],
  answer: shownOrganization,
  status: 200,
});

export const startImpersonation = route({
  id: "startImpersonation",
  method: "POST",
  path: "/admin/organizations/{organization_id}/impersonation",
  summary: "View an organization as if you were a member",
  description:
    "For one hour, with this session or access token: what members with every `:view` permission see can be read, except keys and secrets, and nothing can be changed. Repeating it starts the hour again. The organization's audit log records it with the reason.",
  group,
  access,
  problems: ["organization_not_found", "already_member", "impersonation_limit_reached"],
  body: z.strictObject({ reason }),
  answer: z.object({ organization_id: id, expires_at: time }).meta({ id: "Impersonation" }),
});

export const endImpersonation = route({
  id: "endImpersonation",
  method: "DELETE",
  path: "/admin/organizations/{organization_id}/impersonation",
  summary: "Stop viewing an organization",
  group,
  access,
  problems: ["organization_not_found"],
});
