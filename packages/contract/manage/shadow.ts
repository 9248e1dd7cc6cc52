import { ineffectiveReasons } from "@countersign/domain/shadow/replay";
import { z } from "zod";
import { member, route } from "../api/route.ts";
import { id, time } from "../api/shapes.ts";
import { cidr } from "./ip-blocks.ts";
import { version } from "./versions.ts";

const group = "Requests";

/** The most licenses that a response lists. */
export const maxShadowLicenses = 200;

const change = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("max_ips"),
      max_ips: z
        .int()
        .min(1)
        .max(1_000_000)
        .meta({ description: "For every license whose limit is higher. Lower limits stay." }),
    }),
    z.strictObject({
      type: z.literal("registration"),
      registration: z.literal("off").meta({
        description: "IP addresses are no longer registered automatically: only registered ones pass.",
      }),
    }),
    z.strictObject({
      type: z.literal("track_ips").meta({
        description: "IP addresses count against the limit of each license, by the product's settings.",
      }),
    }),
    z.strictObject({
      type: z.literal("block_version"),
      version: version.meta({ description: "A version, or a line of versions such as 2.1.x." }),
    }),
    z.strictObject({
      type: z.literal("remove_version").meta({ description: "Removes a version record of the product." }),
      version,
    }),
    z.strictObject({
      type: z.literal("check_versions").meta({
        description: "Versions that are not allowed by the product or the license are refused.",
      }),
    }),
    z.strictObject({
      type: z.literal("enforce_expiry").meta({ description: "Licenses that have expired are refused." }),
    }),
    z.strictObject({
      type: z.literal("disable").meta({ description: "Every request is refused." }),
    }),
    z.strictObject({ type: z.literal("block_ip"), cidr }),
  ])
  .meta({ id: "ShadowChange" });

export const shadowProduct = route({
  id: "shadowProduct",
  changesNothing: true,
  method: "POST",
  path: "/products/{product_id}/shadow",
  summary: "Try a change against past requests",
  description:
    "Replays the product's valid validations of the last days as if the change had been in force, and counts those that " +
    "it would have refused. Only the changed rule is decided, by the same code as in a validation, and nothing is changed. " +
    "Requests are read newest first, for a bounded time: `since` says how far back, and `complete` whether that is " +
    "everything that is kept. IP addresses that were registered before `since` keep their slots. With `max_ips`, the " +
    "remaining slots go to the others in the order of their first request. With `registration`, only IP addresses pass " +
    "that were registered before their first request. IP addresses that were removed from a license since count as new, " +
    "and licenses that were deleted since are left out. With `enforce_expiry`, the requests of an IP address with a " +
    "version are counted if the newest of them came after the license's expiry. A block of a part of an IPv6 /64 network matches no request " +
    "that was logged with the whole network. Customers and the beginning of license keys are shown with the permission " +
    "`licenses:view`.",
  group,
  access: member("requests:view"),
  status: 200,
  body: z.strictObject({
    change,
    days: z.int().min(1).max(90).default(30).meta({ description: "How many days back, up to now." }),
  }),
  answer: z
    .object({
      since: time.meta({ description: "The replayed requests are from this time on." }),
      until: time,
      oldest_at: time.nullable().meta({
        description:
          "When the oldest replayed request came. Null if there is none, so that nothing is known.",
      }),
      complete: z.boolean().meta({
        description:
          "Whether all requests since `since` that are still kept, for as many days as asked, were replayed.",
      }),
      requests: z.int().meta({ description: "How many valid validations were replayed." }),
      licenses: z.int().meta({ description: "How many licenses they used." }),
      ineffective: z.enum(ineffectiveReasons).nullable().meta({
        description: "Why the change refuses nothing with the product's current settings; null if it can.",
      }),
      refused: z.object({
        requests: z.int(),
        licenses: z.int(),
        customers: z.int(),
      }),
      data: z
        .array(
          z.object({
            license_id: id,
            license_key: z.string().nullable().meta({
              description: "The beginning of the key. Null without the permission `licenses:view`.",
            }),
            global_customer_id: id.nullable(),
            customer_email: z.string().nullable(),
            customer_name: z.string().nullable(),
            status: z
              .enum([
                ...(["ip_blocked", "ip_not_registered", "ip_limit_reached", "version_not_allowed"] as const),
                ...(["expired", "product_disabled"] as const),
              ])
              .meta({ description: "What the newest of these requests would have returned." }),
            requests: z.int().meta({ description: "How many of its requests would have been refused." }),
            last_at: time,
            ip: z.string().meta({ description: "The IP address of the newest of them." }),
            version: z.string().nullable().meta({ description: "The version of the newest of them." }),
            device_ids: z.array(z.string()).meta({
              description:
                "The device IDs of the license's latest requests from this IP address, as far as a short search of the log finds them: the newest first, at most 10.",
            }),
            ip_count: z.int().meta({ description: "From how many IP addresses they came." }),
          }),
        )
        .meta({ description: `The licenses with the most refused requests, at most ${maxShadowLicenses}.` }),
      more: z.boolean().meta({ description: "Whether there are more licenses than listed." }),
    })
    .meta({ id: "Shadow" }),
  problems: ["product_not_found"],
});
