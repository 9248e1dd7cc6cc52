import { plans } from "@countersign/domain/quota/limit";
import { z } from "zod";
import { atOnce, counted, q, reason } from "./admin-shapes.ts";
import { organization } from "./organizations.ts";
import { platformAdmin, route } from "./route.ts";
import { flagQuery, id, inSteps, page, pageQuery, updatedAtGuard } from "./shapes.ts";

const group = "Platform";
const access = platformAdmin;

const billingStates = ["active", "grace", "suspended", "cancelled"] as const;

const listedOrganization = organization
  .extend({
    owner: z.object({ id, name: z.string(), email: z.string() }).nullable(),
    product_count: counted("100,000"),
    license_count: z.int(),
  })
  .meta({ id: "PlatformOrganization" });

const shownOrganization = listedOrganization
  .extend({
    member_count: counted("100,000, without the owner"),
    waiting_email_count: counted("100,000").meta({
      description:
        "Emails to its customers that are waiting because of the daily limit, counted up to 100,000.",
    }),
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
  summary: "Update an organization's plan, daily limits and billing state",
  description: atOnce,
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
    billing_state: z.enum(billingStates).optional(),
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
