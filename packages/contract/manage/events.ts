import { eventTypes } from "@countersign/domain/events/types";
import { z } from "zod";
import { member, route } from "../api/route.ts";
import { id, inSteps, page, pageQuery, time } from "../api/shapes.ts";

const group = "Events";

export const event = z
  .object({
    id: z.string().meta({ description: "The `webhook-id` with which endpoints receive the event." }),
    type: z.enum(eventTypes),
    timestamp: time,
    product_id: id.nullable(),
    license_id: id.nullable(),
    data: z.record(z.string(), z.json()).meta({
      description:
        "The data at the time of the event. For events caused by a validation, `license` is added a moment later, before the event is sent.",
    }),
  })
  .meta({ id: "Event" });

const listQuery = pageQuery.extend({
  type: z.enum(eventTypes).optional(),
  from: time.optional().meta({ description: "Only events from this time on." }),
  to: time.optional().meta({ description: "Only events before this time." }),
  order: z.enum(["newest", "oldest"]).default("newest"),
  after: z
    .string()
    .max(64)
    .optional()
    .meta({ description: "With `order=oldest`: only events after the one with this ID." }),
  wait_seconds: z.coerce
    .number()
    .int()
    .min(0)
    .max(20)
    .default(0)
    .meta({ description: "With `order=oldest`: how long to wait if there is no event yet." }),
});

const listed = page(event).extend({
  after: z
    .string()
    .nullable()
    .meta({ description: "With `order=oldest`: the value of `after` for the next request." }),
});

const following =
  "To follow events, use `order=oldest` and pass the `after` of the previous response; with `wait_seconds`, the request " +
  `waits for the next event. In this order, events appear after two seconds, so that none is missed. ${inSteps}`;

export const listEvents = route({
  id: "listEvents",
  method: "GET",
  path: "/organizations/{organization_id}/events",
  summary: "List events, newest first",
  description: following,
  group,
  access: member("licenses:view", "webhooks:manage"),
  query: listQuery.extend({ product_id: id.optional(), license_id: id.optional() }),
  answer: listed,
  problems: ["too_many_polls"],
});

export const listLicenseEvents = route({
  id: "listLicenseEvents",
  method: "GET",
  path: "/licenses/{license_id}/events",
  summary: "List a license's events, newest first",
  description: `${following} A license that was revoked in bulk has license.revoked here; endpoints receive license.bulk_revoked instead, which is in the organization's list.`,
  group,
  access: member("licenses:view"),
  query: listQuery,
  answer: listed,
  problems: ["too_many_polls"],
});
