import { plans } from "@countersign/domain/quota/limit";
import { z } from "zod";
import { ipBlock, ipBlockChanges, newIpBlock } from "./ip-blocks.ts";
import { organization } from "./organizations.ts";
import { platformAdmin, route } from "./route.ts";
import { email, flagQuery, id, page, pageQuery, time, updatedAtGuard } from "./shapes.ts";

const group = "Platform";
const access = platformAdmin;
const atOnce = "Holds from the next request on, on every node.";

const reason = z
  .string()
  .trim()
  .min(1, "should say why")
  .max(1_000, "should have at most 1,000 characters")
  .meta({ description: "Shown to whom it concerns." });

const q = z
  .string()
  .trim()
  .max(200)
  .optional()
  .meta({ description: "A part of it, in upper or lower case." });

const billingStates = ["active", "grace", "suspended", "cancelled"] as const;

const counted = (most: string) => z.int().meta({ description: `Counted up to ${most}.` });

const listedOrganization = organization
  .extend({
    owner: z.object({ id, name: z.string(), email: z.string() }).nullable(),
    product_count: counted("1,000"),
    license_count: counted("1,000"),
  })
  .meta({ id: "PlatformOrganization" });

const shownOrganization = listedOrganization
  .extend({
    product_count: counted("100,000"),
    license_count: counted("100,000"),
    member_count: counted("100,000, without the owner"),
  })
  .meta({ id: "PlatformOrganizationDetails" });

const user = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    two_factor_enabled: z.boolean(),
    is_platform_admin: z.boolean(),
    organization_allowance: z
      .int()
      .nullable()
      .meta({ description: "How many organizations they may own; null for what the plans say." }),
    suspended_at: time.nullable(),
    suspension_reason: z.string().nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "PlatformUser" });

const userDetails = user
  .extend({
    organizations: z
      .array(z.object({ id, name: z.string(), slug: z.string(), is_owner: z.boolean() }))
      .meta({ description: "Those they belong to, the first 200." }),
  })
  .meta({ id: "PlatformUserDetails" });

const mail = z
  .object({
    id,
    recipient: z.string(),
    subject: z.string(),
    kind: z.string(),
    created_at: time,
    sent_at: time.nullable(),
    problem: z.string().nullable().meta({ description: "Why it could not be sent." }),
  })
  .meta({ id: "Mail" });

export const listPlatformOrganizations = route({
  id: "listPlatformOrganizations",
  method: "GET",
  path: "/admin/organizations",
  summary: "List and search all organizations",
  description: "The newest first. q looks through name, slug and the owner's e-mail address.",
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
  summary: "Read any organization",
  group,
  access,
  answer: shownOrganization,
});

export const updatePlatformOrganization = route({
  id: "updatePlatformOrganization",
  method: "PATCH",
  path: "/admin/organizations/{organization_id}",
  summary: "Set an organization's plan, daily limit and billing state",
  description: atOnce,
  group,
  access,
  body: z.strictObject({
    plan: z.enum(plans).optional(),
    daily_limit_override: z
      .int()
      .min(0)
      .max(1_000_000_000_000)
      .nullable()
      .optional()
      .meta({ description: "Requests a day for each product; null for what the plan says." }),
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
  description: `Its licenses answer org_suspended and nothing in it can be changed. ${atOnce}`,
  group,
  access,
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
  answer: shownOrganization,
  status: 200,
});

export const listUsers = route({
  id: "listUsers",
  method: "GET",
  path: "/admin/users",
  summary: "List and search all people with an account",
  description: "The newest first. q looks through name and e-mail address.",
  group,
  access,
  query: pageQuery.extend({
    q,
    platform_admin: flagQuery.optional(),
    suspended: flagQuery.optional(),
  }),
  answer: page(user),
});

export const getUser = route({
  id: "getUser",
  method: "GET",
  path: "/admin/users/{user_id}",
  summary: "Read a person's account",
  group,
  access,
  answer: userDetails,
});

export const updateUser = route({
  id: "updateUser",
  method: "PATCH",
  path: "/admin/users/{user_id}",
  summary: "Set how many organizations somebody may own, and who is a platform admin",
  description: `There is always one platform admin at least. ${atOnce}`,
  group,
  access,
  body: z.strictObject({
    organization_allowance: z.int().min(0).max(1_000_000).nullable().optional(),
    is_platform_admin: z.boolean().optional(),
    ...updatedAtGuard,
  }),
  answer: userDetails,
});

export const suspendUser = route({
  id: "suspendUser",
  method: "POST",
  path: "/admin/users/{user_id}/suspend",
  summary: "Suspend a person's account",
  description: `Their sessions and access tokens stop working. What they own goes on. ${atOnce}`,
  group,
  access,
  body: z.strictObject({ reason }),
  answer: userDetails,
  status: 200,
});

export const restoreUser = route({
  id: "restoreUser",
  method: "POST",
  path: "/admin/users/{user_id}/restore",
  summary: "Lift a person's suspension",
  description: "Sessions and access tokens that have not run out meanwhile work again.",
  group,
  access,
  answer: userDetails,
  status: 200,
});

export const listPlatformIpBlocks = route({
  id: "listPlatformIpBlocks",
  method: "GET",
  path: "/admin/ip-blocks",
  summary: "List the blocks of the whole platform, oldest first",
  group,
  access,
  query: pageQuery,
  answer: page(ipBlock),
});

export const addPlatformIpBlock = route({
  id: "addPlatformIpBlock",
  method: "POST",
  path: "/admin/ip-blocks",
  summary: "Block an address or a network for the whole platform",
  description: `It goes before every other rule about addresses. ${atOnce}`,
  group,
  access,
  body: newIpBlock,
  answer: ipBlock,
});

export const updatePlatformIpBlock = route({
  id: "updatePlatformIpBlock",
  method: "PATCH",
  path: "/admin/ip-blocks/{block_id}",
  summary: "Change the note or the end of a block of the whole platform",
  description: atOnce,
  group,
  access,
  body: ipBlockChanges,
  answer: ipBlock,
});

export const removePlatformIpBlock = route({
  id: "removePlatformIpBlock",
  method: "DELETE",
  path: "/admin/ip-blocks/{block_id}",
  summary: "Lift a block of the whole platform",
  description: atOnce,
  group,
  access,
});

export const listMailbox = route({
  id: "listMailbox",
  method: "GET",
  path: "/admin/mailbox",
  summary: "List letters",
  description: "The newest first, without what is in them.",
  group,
  access,
  query: pageQuery.extend({ kind: z.string().max(100).optional(), recipient: email.optional() }),
  answer: page(mail),
});

export const getMail = route({
  id: "getMail",
  method: "GET",
  path: "/admin/mailbox/{mail_id}",
  summary: "Read a letter",
  description:
    "How people get their letters while no mail server is set up. A letter that was sent is its recipient's: its text is not shown.",
  group,
  access,
  answer: mail
    .extend({ body_text: z.string().nullable(), body_html: z.string().nullable() })
    .meta({ id: "MailWithBody" }),
});

export const getPlatformHealth = route({
  id: "getPlatformHealth",
  method: "GET",
  path: "/admin/health",
  summary: "How this node and the database are doing",
  group,
  access,
  answer: z
    .object({
      version: z.string(),
      uptime_seconds: z.int(),
      database: z.object({
        kind: z.enum(["sqlite", "postgres"]),
        latency_ms: z.number(),
        clock_offset_ms: z
          .int()
          .meta({ description: "How far the database's clock is ahead of this node's." }),
      }),
      request_log: z.object({
        last_entry_at: time.nullable().meta({ description: "When the newest request in the log came in." }),
      }),
      mailbox: z.object({ unsent: counted("10,000") }),
      counts: z.object({
        organizations: counted("100,000"),
        products: counted("100,000"),
        licenses: counted("100,000"),
        users: counted("100,000"),
      }),
    })
    .meta({ id: "PlatformHealth" }),
});
