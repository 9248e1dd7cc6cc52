import { permissions } from "@countersign/domain/members/permissions";
import { plans } from "@countersign/domain/quota/limit";
import { z } from "zod";
import { member, person, route } from "./route.ts";
import { id, name, page, pageQuery, time, updatedAtGuard } from "./shapes.ts";

const group = "Organizations";

export const slug = z
  .string()
  .trim()
  .toLowerCase()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/,
    "should have 1 to 48 letters a to z, digits or hyphens inside",
  );

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
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Organization" });

/** An organization as one of its own sees it in a list: with what they may do there. */
export const ownOrganization = organization
  .extend({ is_owner: z.boolean(), permissions: z.array(z.enum(permissions)) })
  .meta({ id: "OwnOrganization" });

export const listOrganizations = route({
  id: "listOrganizations",
  method: "GET",
  path: "/organizations",
  summary: "List the organizations you own or are a member of",
  group,
  access: person,
  query: pageQuery,
  answer: page(ownOrganization),
});

export const createOrganization = route({
  id: "createOrganization",
  method: "POST",
  path: "/organizations",
  summary: "Create an organization",
  description: "You become its owner. The slug is made from the name when it is left out.",
  group,
  access: person,
  body: z.strictObject({ name, slug: slug.optional() }),
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
  body: z.strictObject({
    name: name.optional(),
    slug: slug.optional(),
    signed_validation: z.boolean().optional(),
    ...updatedAtGuard,
  }),
  answer: ownOrganization,
});
