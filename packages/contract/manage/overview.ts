import { z } from "zod";
import { member, route } from "./route.ts";
import { id, page, pageQuery, time } from "./shapes.ts";

const group = "Overview";

const bucket = z.object({ from: time, count: z.int() });

export const getLicenseTrend = route({
  id: "getLicenseTrend",
  method: "GET",
  path: "/organizations/{organization_id}/license-trend",
  summary: "Count the licenses that were made, and those that will run out",
  group,
  access: member("licenses:view"),
  answer: z
    .object({
      created: z.array(bucket).meta({ description: "The last 30 days in UTC, today last." }),
      expiring: z.array(bucket).meta({
        description:
          "The next 12 weeks, today's the first and from now on, the others from midnight UTC. Revoked licenses do not count.",
      }),
    })
    .meta({ id: "LicenseTrend" }),
});

export const listProductUsage = route({
  id: "listProductUsage",
  method: "GET",
  path: "/organizations/{organization_id}/usage",
  summary: "List how many requests each product's apps made",
  description:
    "Requests that count towards the daily limit, by UTC day. In the order of the list of products.",
  group,
  access: member("products:view", "products:manage", "products:rotate_key"),
  query: pageQuery,
  answer: page(
    z
      .object({
        product_id: id,
        name: z.string(),
        status: z.enum(["active", "disabled", "archived"]),
        days: z.array(z.int()).meta({ description: "The last 14 days, today last." }),
      })
      .meta({ id: "ProductUsage" }),
  ),
});
