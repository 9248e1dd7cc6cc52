import { z } from "zod";
import { member, route } from "../api/route.ts";
import { id, page, pageQuery, time } from "../api/shapes.ts";
import { limitUse } from "./billing.ts";

const group = "Usage";

const sees = member("products:view", "products:manage", "products:rotate_key", "analytics:view");

export const listProductUsage = route({
  id: "listProductUsage",
  method: "GET",
  path: "/organizations/{organization_id}/usage",
  summary: "List the number of requests by product",
  description:
    "Counts requests that count towards the daily limit, by UTC day. Sorted like the list of products.",
  group,
  access: sees,
  query: pageQuery,
  answer: page(
    z
      .object({
        product_id: id,
        name: z.string(),
        status: z.enum(["active", "disabled", "archived"]),
        days: z.array(z.int()).meta({ description: "The last 14 days, ending with today." }),
        used_today: z.int(),
        daily_limit: z.int().nullable().meta({ description: "Null for no limit." }),
        resets_at: time.meta({ description: "Midnight UTC, when today's count starts again from 0." }),
        runs_out_at: time.nullable().meta({
          description:
            "When the limit is reached today if requests keep coming at the pace since midnight UTC. The current time if it has been reached. Null if it will not be reached today, or if it is too early in the day to tell.",
        }),
      })
      .meta({ id: "ProductUsage" }),
  ),
});

const historyQuery = z.object({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(396)
    .default(90)
    .meta({ description: "How many days, ending with today. Counts are kept for 13 months." }),
});

const history = z
  .object({
    from: time.meta({ description: "The start of the first day." }),
    days: z.array(z.int()).meta({ description: "Requests by UTC day, ending with today." }),
  })
  .meta({ id: "UsageHistory" });

export const getUsageHistory = route({
  id: "getUsageHistory",
  method: "GET",
  path: "/organizations/{organization_id}/usage/history",
  summary: "Count an organization's requests by day",
  description: "Includes the requests to products that have been deleted since.",
  group,
  access: sees,
  query: historyQuery,
  answer: history,
});

export const getProductUsageHistory = route({
  id: "getProductUsageHistory",
  method: "GET",
  path: "/products/{product_id}/usage",
  summary: "Count a product's requests by day",
  group,
  access: sees,
  query: historyQuery,
  answer: history,
});

export const getUsageTotals = route({
  id: "getUsageTotals",
  method: "GET",
  path: "/organizations/{organization_id}/usage/totals",
  summary: "Count what an organization has",
  group,
  access: member("billing:view", "billing:manage", "analytics:view", "organization:manage"),
  answer: z
    .object({
      limits: z.array(limitUse),
      storage_bytes: z.int().meta({
        description:
          "An estimate from the number of licenses, logged requests, events and audit log entries.",
      }),
    })
    .meta({ id: "UsageTotals" }),
});
