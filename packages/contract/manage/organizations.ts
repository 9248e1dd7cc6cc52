import { permissions } from "@countersign/domain/members/permissions";
import { plans } from "@countersign/domain/quota/limit";
import { z } from "zod";
import { fieldCode } from "../problems/problems.ts";
import { member, owner, person, route } from "./route.ts";
import { id, locale, name, page, pageQuery, time, timeZone, updatedAtGuard } from "./shapes.ts";

const group = "Organizations";

export const slug = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/, fieldCode("not_a_slug"));

export const organization = z
  .object({
    id,
    name: z.string(),
    slug: z.string(),
    plan: z.enum(plans),
    daily_limit_override: z.int().nullable(),
    daily_limit: z
      .int()
      .nullable()
      .meta({ description: "What is in force for each product; null for no limit." }),
    signed_validation: z.boolean(),
    billing_state: z.enum(["active", "grace", "suspended", "cancelled"]),
    suspended_at: time.nullable(),
    suspension_reason: z.string().nullable(),
    delete_after: time
      .nullable()
      .meta({ description: "When it will be gone, while its deletion is pending." }),
    owner_id: id.nullable(),
    locale: locale.meta({
      description:
        "The language of emails to its customers, where a product says nothing else, and to people it invites.",
    }),
    time_zone: z.string().meta({
      description:
        "Its time zone: a date without a time ends with that day there, and a year or month is counted there.",
    }),
    daily_emails_override: z
      .int()
      .nullable()
      .meta({ description: "Emails a day to its customers; null for what holds on this server." }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Organization" });

/** An organization in a member's list, with their permissions in it. */
export const ownOrganization = organization
  .extend({ is_owner: z.boolean(), permissions: z.array(z.enum(permissions)) })
  .meta({ id: "OwnOrganization" });

export const listOrganizations = route({
  id: "listOrganizations",
  method: "GET",
  path: "/organizations",
  summary: "List the organizations you own or are a member of",
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
    "You become its owner. The slug is made from the name when it is left out; the language is yours, if none is given, and the time zone UTC.",
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
  summary: "Read an organization",
  group,
  access: member(null),
  answer: ownOrganization,
});

export const updateOrganization = route({
  id: "updateOrganization",
  method: "PATCH",
  path: "/organizations/{organization_id}",
  summary: "Change an organization",
  group,
  access: member("organization:manage"),
  problems: ["slug_taken"],
  body: z.strictObject({
    name: name.optional(),
    slug: slug.optional(),
    signed_validation: z.boolean().optional(),
    locale: locale.optional(),
    time_zone: timeZone.optional(),
    ...updatedAtGuard,
  }),
  answer: ownOrganization,
});

export const transferOwnership = route({
  id: "transferOwnership",
  method: "POST",
  path: "/organizations/{organization_id}/transfer-ownership",
  summary: "Hand an organization over to one of its members",
  description: "They become the owner, and you a member with the role you name.",
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
  summary: "Export everything that an organization holds",
  description:
    "One JSON object a line, each with `kind` and `data`: the organization, products, versions, roles, members, invitations, customers, licenses with their addresses and tags, blocks, webhooks, and the audit log. No API keys and no secrets. The last line has kind `end` and says how many came before it: without it the file is not whole.",
  group,
  access: owner,
  answerType: "application/x-ndjson",
  status: 200,
});

export const deleteOrganization = route({
  id: "deleteOrganization",
  method: "DELETE",
  path: "/organizations/{organization_id}",
  summary: "Delete an organization after a time of grace",
  description:
    "Everything goes on being served until `delete_after`, and the deletion can be taken back until then. After that it is gone for good, and its API keys answer product_not_found.",
  group,
  access: owner,
  body: z.strictObject({
    confirm: z.string().meta({ description: "The organization's slug, so that it is the right one." }),
  }),
  answer: ownOrganization,
});

export const restoreOrganization = route({
  id: "restoreOrganization",
  method: "POST",
  path: "/organizations/{organization_id}/restore",
  summary: "Take the deletion of an organization back",
  group,
  access: owner,
  answer: ownOrganization,
  status: 200,
});
