import { permissions } from "@countersign/domain/members/permissions";
import { plans } from "@countersign/domain/quota/limit";
import { z } from "zod";
import { member, owner, person, route } from "../api/route.ts";
import { id, locale, name, page, pageQuery, time, timeZone, updatedAtGuard } from "../api/shapes.ts";
import { fieldCode } from "../problems/problems.ts";

const group = "Organizations";

export const slug = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/, fieldCode("not_a_slug"));

const versionChecksOnDowngrade = z.enum(["enforce", "report"]).meta({
  description:
    "What products with version checks do after leaving a plan that includes them: keep refusing versions, or only report them.",
});

export const organization = z
  .object({
    id,
    name: z.string(),
    slug: z.string(),
    plan: z.enum(plans),
    daily_limit_override: z.int().nullable(),
    daily_limit: z.int().nullable().meta({
      description: "The effective number of requests per day for each product. Null if there is no limit.",
    }),
    signed_validation: z.boolean(),
    billing_state: z.enum(["active", "grace", "suspended", "cancelled"]),
    suspended_at: time.nullable(),
    suspension_reason: z.string().nullable(),
    delete_after: time
      .nullable()
      .meta({ description: "When the organization is deleted. Null if no deletion is pending." }),
    owner_id: id.nullable(),
    locale: locale.meta({
      description: "The language of invitations, and of emails to customers unless the product has its own.",
    }),
    time_zone: z.string().meta({
      description: "The time zone in which days end and calendar durations are counted.",
    }),
    daily_emails_override: z
      .int()
      .nullable()
      .meta({ description: "Emails per day to its customers. Null for the server's default." }),
    grace_ends_at: time.nullable().meta({
      description:
        "When validations stop because a payment is overdue. Null unless the billing state is `grace`.",
    }),
    plan_ends_at: time
      .nullable()
      .meta({ description: "When the plan ends that the operator set. Null if it does not." }),
    had_version_module: z.boolean().meta({
      description:
        "Whether it is or was on a plan that includes version checks. Its products keep checking versions on a plan without them.",
    }),
    version_checks_on_downgrade: versionChecksOnDowngrade,
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Organization" });

/** An organization in a member's list, with their permissions in it. */
export const ownOrganization = organization
  .extend({
    is_owner: z.boolean(),
    permissions: z.array(z.enum(permissions)),
    impersonated_until: time.nullable().meta({
      description:
        "Not null while you view it as a platform admin without being a member: read-only, and until then.",
    }),
  })
  .meta({ id: "OwnOrganization" });

export const listOrganizations = route({
  id: "listOrganizations",
  method: "GET",
  path: "/organizations",
  summary: "List your organizations",
  group,
  access: person("any"),
  query: pageQuery,
  answer: page(ownOrganization),
});

export const createOrganization = route({
  id: "createOrganization",
  method: "POST",
  path: "/organizations",
  summary: "Create an organization",
  description:
    "You become its owner. By default, the slug is derived from the name, the language is yours and the time zone is UTC.",
  group,
  access: person("full"),
  problems: ["organization_limit_reached", "slug_taken"],
  body: z.strictObject({
    name,
    slug: slug.optional(),
    locale: locale.optional(),
    time_zone: timeZone.optional(),
  }),
  answer: ownOrganization,
});

export const getOrganization = route({
  id: "getOrganization",
  method: "GET",
  path: "/organizations/{organization_id}",
  summary: "Get an organization",
  group,
  access: member(null),
  answer: ownOrganization,
});

export const updateOrganization = route({
  id: "updateOrganization",
  method: "PATCH",
  path: "/organizations/{organization_id}",
  summary: "Update an organization",
  group,
  access: member("organization:manage"),
  problems: ["slug_taken"],
  body: z.strictObject({
    name: name.optional(),
    slug: slug.optional(),
    signed_validation: z.boolean().optional(),
    locale: locale.optional(),
    time_zone: timeZone.optional(),
    version_checks_on_downgrade: versionChecksOnDowngrade.optional(),
    ...updatedAtGuard,
  }),
  answer: ownOrganization,
});

export const transferOwnership = route({
  id: "transferOwnership",
  whileUnpaid: true,
  method: "POST",
  path: "/organizations/{organization_id}/transfer-ownership",
  summary: "Transfer an organization to another member",
  description: "The member becomes the owner, and you become a member with the role in `role_id`.",
  group,
  access: owner,
  problems: ["new_owner_suspended", "new_owner_organization_limit_reached"],
  body: z.strictObject({ user_id: id, role_id: id }),
  answer: ownOrganization,
  status: 200,
});

export const exportOrganization = route({
  id: "exportOrganization",
  method: "GET",
  path: "/organizations/{organization_id}/export",
  summary: "Export an organization's data",
  description:
    "Returns one JSON object per line, each with `kind` and `data`: the organization, its branding without the logo, products, versions, roles, members, invitations, customers, licenses with their IP addresses and tags, license transfers, IP blocks, webhooks and the audit log. API keys and secrets are not included. The last line has the kind `end` and the number of lines before it: if it is missing, the file is incomplete.",
  group,
  access: owner,
  answerType: "application/x-ndjson",
  status: 200,
  problems: ["too_many_exports"],
});

export const deleteOrganization = route({
  id: "deleteOrganization",
  whileUnpaid: true,
  method: "DELETE",
  path: "/organizations/{organization_id}",
  summary: "Delete an organization after a grace period",
  description:
    "Until `delete_after`, everything keeps working and the deletion can be canceled. After that, all data is deleted permanently, and validations with its API keys return `product_not_found`.",
  group,
  access: owner,
  body: z.strictObject({
    confirm: z.string().meta({ description: "The organization's slug, to confirm the deletion." }),
  }),
  answer: ownOrganization,
});

export const restoreOrganization = route({
  id: "restoreOrganization",
  whileUnpaid: true,
  method: "POST",
  path: "/organizations/{organization_id}/restore",
  summary: "Cancel the deletion of an organization",
  group,
  access: owner,
  answer: ownOrganization,
  status: 200,
});
