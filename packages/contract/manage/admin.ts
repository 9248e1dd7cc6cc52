import { plans } from "@countersign/domain/quota/limit";
import { z } from "zod";
import { atOnce, counted } from "./admin-shapes.ts";
import { ipBlock, ipBlockChanges, newIpBlock } from "./ip-blocks.ts";
import { platformAdmin, route } from "./route.ts";
import { page, pageQuery, time } from "./shapes.ts";

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

const platformSettings = z
  .object({
    default_plan: z.enum(plans).meta({ description: "The plan of new organizations." }),
    default_plan_set_by: z.enum(["environment", "platform_admin", "nobody"]).meta({
      description:
        "Who set it: COUNTERSIGN_DEFAULT_PLAN, which overrides this setting; a platform admin; or nobody yet.",
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
    "Existing organizations keep their plan. Enterprise organizations have no daily limit, and while sign-up is closed, their owner can own any number of organizations. Otherwise a user can own two, unless a platform admin allows more.",
  group,
  access,
  problems: ["default_plan_in_environment"],
  body: z.strictObject({ default_plan: z.enum(plans).optional() }),
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
