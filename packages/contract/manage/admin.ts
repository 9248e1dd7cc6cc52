import { maxAuditLogDays, minAuditLogDays } from "@countersign/domain/audit-log/audit-log-days";
import { plans } from "@countersign/domain/quota/limit";
import { z } from "zod";
import { platformAdmin, route } from "../api/route.ts";
import { email, page, pageQuery, time, webUrl } from "../api/shapes.ts";
import { fieldCode } from "../problems/problems.ts";
import { ipBlock, ipBlockChanges, newIpBlock } from "./ip-blocks.ts";

/** Shapes that several platform admin routes share. */

export const atOnce = "Takes effect with the next request, on every node.";

export const reason = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .meta({ description: "The reason, which the affected users can see." });

export const q = z
  .string()
  .trim()
  .max(200)
  .optional()
  .meta({ description: "The text to search for. Case does not matter." });

export const counted = (most: string) => z.int().meta({ description: `Counted up to ${most}.` });

export const auditLogDays = (whenNull: string) =>
  z
    .int()
    .min(minAuditLogDays)
    .max(maxAuditLogDays)
    .nullable()
    .meta({
      description: `How many days the audit log is kept. Older entries are archived and then deleted, as COUNTERSIGN_AUDIT_LOG_ARCHIVE says; while it is not set, nothing is deleted. ${whenNull}`,
    });

const group = "Platform";
const access = platformAdmin;

export const listPlatformIpBlocks = route({
  id: "listPlatformIpBlocks",
  method: "GET",
  path: "/admin/ip-blocks",
  summary: "List the platform's IP blocks, oldest first",
  group,
  access,
  query: pageQuery,
  answer: page(ipBlock),
});

export const addPlatformIpBlock = route({
  id: "addPlatformIpBlock",
  method: "POST",
  path: "/admin/ip-blocks",
  summary: "Block an IP address or network for the whole platform",
  description: `It takes precedence over every other IP rule. ${atOnce}`,
  group,
  access,
  problems: ["block_exists", "block_limit_reached"],
  body: newIpBlock,
  answer: ipBlock,
});

export const updatePlatformIpBlock = route({
  id: "updatePlatformIpBlock",
  method: "PATCH",
  path: "/admin/ip-blocks/{block_id}",
  summary: "Update a platform IP block",
  description: atOnce,
  group,
  access,
  problems: ["block_not_found"],
  body: ipBlockChanges,
  answer: ipBlock,
});

export const removePlatformIpBlock = route({
  id: "removePlatformIpBlock",
  method: "DELETE",
  path: "/admin/ip-blocks/{block_id}",
  summary: "Remove a platform IP block",
  description: atOnce,
  group,
  access,
  problems: ["block_not_found"],
});

const setBy = (variable: string) =>
  z.enum(["environment", "platform_admin", "nobody"]).meta({
    description: `Who set it: ${variable}, which overrides this setting; a platform admin; or nobody yet.`,
  });

const platformSettings = z
  .object({
    default_plan: z.enum(plans).meta({ description: "The plan of new organizations." }),
    default_plan_set_by: setBy("COUNTERSIGN_DEFAULT_PLAN"),
    sign_up: z.enum(["closed", "open"]).meta({
      description: "Who can create an account: only people who are invited or added, or anyone.",
    }),
    sign_up_set_by: setBy("COUNTERSIGN_SIGN_UP"),
    daily_emails: z.int().meta({ description: "Emails a day to the customers of one organization." }),
    daily_emails_set_by: setBy("COUNTERSIGN_DAILY_EMAILS"),
    webhook_endpoints: z.int().meta({ description: "Webhooks per organization, if its plan has no limit." }),
    webhook_endpoints_set_by: setBy("COUNTERSIGN_WEBHOOK_ENDPOINTS"),
    request_log_days: z.int().meta({ description: "How many days requests are kept in the log." }),
    request_log_days_set_by: setBy("COUNTERSIGN_REQUEST_LOG_DAYS"),
    request_log_mb: z.int().meta({
      description:
        "How many megabytes the request log can take on disk. If it takes more, its oldest requests are deleted earlier.",
    }),
    request_log_mb_set_by: setBy("COUNTERSIGN_REQUEST_LOG_MB"),
    audit_log_archive: z.enum(["folder", "none", "unset"]).meta({
      description:
        "What COUNTERSIGN_AUDIT_LOG_ARCHIVE says: old entries of the audit log are written to a folder before they are deleted, are deleted without an archive, or are not deleted because it is not set.",
    }),
    audit_log_limited: z.boolean().meta({
      description: "Whether a plan or an organization has a limit for how long its audit log is kept.",
    }),
    currency: z.string().meta({ description: "The ISO 4217 code of the currency of prices, such as usd." }),
    billing_contact: z
      .string()
      .nullable()
      .meta({ description: "Whom organizations ask about plans: an email address or a URL." }),
    automatic_tax: z
      .boolean()
      .meta({ description: "Whether Stripe calculates taxes, which has to be set up there." }),
    payments: z.enum(["off", "test", "live"]).meta({
      description:
        "Whether payments are set up, by COUNTERSIGN_STRIPE_SECRET_KEY, and in which mode of Stripe.",
    }),
  })
  .meta({ id: "PlatformSettings" });

export const getPlatformSettings = route({
  id: "getPlatformSettings",
  method: "GET",
  path: "/admin/settings",
  summary: "Get the platform settings",
  group,
  access,
  answer: platformSettings,
});

export const updatePlatformSettings = route({
  id: "updatePlatformSettings",
  method: "PATCH",
  path: "/admin/settings",
  summary: "Update the platform settings",
  description:
    "They apply without a restart, on every node. A setting that the environment sets cannot be changed here. Existing organizations keep their plan.",
  group,
  access,
  problems: ["default_plan_in_environment", "setting_in_environment"],
  body: z.strictObject({
    default_plan: z.enum(plans).optional(),
    sign_up: z.enum(["closed", "open"]).optional(),
    daily_emails: z.int().min(0).max(10_000_000).optional(),
    webhook_endpoints: z.int().min(1).max(1000).optional(),
    request_log_days: z.int().min(1).max(3650).optional(),
    request_log_mb: z.int().min(10).max(10_000_000).optional(),
    currency: z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[a-z]{3}$/, fieldCode("not_a_currency"))
      .optional(),
    billing_contact: z.union([email, webUrl]).nullable().optional(),
    automatic_tax: z.boolean().optional(),
  }),
  answer: platformSettings,
});

export const getPlatformHealth = route({
  id: "getPlatformHealth",
  method: "GET",
  path: "/admin/health",
  summary: "Get the health of this node and the database",
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
          .meta({ description: "How many milliseconds the database's clock is ahead of this node's." }),
      }),
      request_log: z.object({
        last_entry_at: time.nullable().meta({ description: "The time of the newest request in the log." }),
      }),
      outbox: z.object({ unsent: z.int() }),
      counts: z.object({
        organizations: counted("1,000,000"),
        products: counted("1,000,000"),
        licenses: z.int(),
        users: counted("1,000,000"),
      }),
    })
    .meta({ id: "PlatformHealth" }),
});

export const listJobs = route({
  id: "listJobs",
  method: "GET",
  path: "/admin/jobs",
  summary: "List the periodic jobs and their last runs",
  description:
    "For every node that is running. This node's are current, those of others up to a minute old. A node that has stopped " +
    "stays listed for five minutes at most.",
  group,
  access,
  answer: page(
    z
      .object({
        node: z.string(),
        is_this_node: z.boolean(),
        job: z.string(),
        every_seconds: z.number(),
        started_at: time,
        duration_ms: z
          .int()
          .nullable()
          .meta({ description: "Null while it runs, and if it was interrupted." }),
        is_interrupted: z
          .boolean()
          .meta({ description: "Whether the node stopped while the job was running." }),
        failed_at: time.nullable().meta({ description: "When it last failed. Null for never." }),
        failure: z.string().nullable().meta({ description: "Why it last failed." }),
      })
      .meta({ id: "JobRun" }),
  ),
});
