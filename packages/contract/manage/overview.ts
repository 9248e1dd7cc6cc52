import { z } from "zod";
import { member, route } from "./route.ts";
import { id, page, pageQuery, time } from "./shapes.ts";

const group = "Overview";

const bucket = z.object({ from: time, count: z.int() });

export const getLicenseTrend = route({
  id: "getLicenseTrend",
  method: "GET",
  path: "/organizations/{organization_id}/license-trend",
  summary: "Count created and expiring licenses",
  group,
  access: member("licenses:view"),
  answer: z
    .object({
      created: z.array(bucket).meta({ description: "The last 30 days in UTC, ending with today." }),
      expiring: z.array(bucket).meta({
        description:
          "The next 12 weeks. The first starts now, the others at midnight UTC. Revoked licenses are not counted.",
      }),
    })
    .meta({ id: "LicenseTrend" }),
});

export const listProductUsage = route({
  id: "listProductUsage",
  method: "GET",
  path: "/organizations/{organization_id}/usage",
  summary: "List the number of requests by product",
  description:
    "Counts requests that count towards the daily limit, by UTC day. Sorted like the list of products.",
  group,
  access: member("products:view", "products:manage", "products:rotate_key"),
  query: pageQuery,
  answer: page(
    z
      .object({
        product_id: id,
        name: z.string(),
        status: z.enum(["active", "disabled", "archived"]),
        days: z.array(z.int()).meta({ description: "The last 14 days, ending with today." }),
      })
      .meta({ id: "ProductUsage" }),
  ),
});
