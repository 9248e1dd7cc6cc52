import { eventTypes } from "@countersign/domain/events/types";
import { z } from "zod";
import { member, route } from "./route.ts";
import { id, inSteps, page, pageQuery, time } from "./shapes.ts";

const group = "Events";

export const event = z
  .object({
    id: z.string().meta({ description: "The same as webhook-id where it was sent to an endpoint." }),
    type: z.enum(eventTypes),
    timestamp: time,
    product_id: id.nullable(),
    license_id: id.nullable(),
    data: z.record(z.string(), z.json()).meta({
      description:
        "What is told, as it was then. Of what a validation did, the license is added a moment later, before it is sent.",
    }),
  })
  .meta({ id: "Event" });

const listQuery = pageQuery.extend({
  type: z.enum(eventTypes).optional(),
  from: time.optional().meta({ description: "This time or later." }),
  to: time.optional().meta({ description: "Before this time." }),
  order: z.enum(["newest", "oldest"]).default("newest"),
  after: z
    .string()
    .max(64)
    .optional()
    .meta({ description: "With order=oldest: only what came after this event, by its id." }),
  wait_seconds: z.coerce
    .number()
    .int()
    .min(0)
    .max(20)
    .default(0)
    .meta({ description: "With order=oldest: how long to wait for an event when there is none yet." }),
});

const listed = page(event).extend({
  after: z
    .string()
    .nullable()
    .meta({ description: "With order=oldest: what to pass as after to go on from here, now or later." }),
});

const following =
  "To follow them, ask with order=oldest and pass the after of the last answer; wait_seconds makes the request wait for " +
  `the next one. Read in this order, an event appears two seconds after it happened, so that none is missed. ${inSteps}`;

export const listEvents = route({
  id: "listEvents",
  method: "GET",
  path: "/organizations/{organization_id}/events",
  summary: "List what happened, newest first",
  description: following,
  group,
  access: member("licenses:view", "webhooks:manage"),
  query: listQuery.extend({ product_id: id.optional(), license_id: id.optional() }),
  answer: listed,
});

export const listLicenseEvents = route({
  id: "listLicenseEvents",
  method: "GET",
  path: "/licenses/{license_id}/events",
  summary: "List what happened to a license, newest first",
  description: `${following} A license that was revoked with others has license.revoked here; endpoints are sent license.bulk_revoked instead, which is in the organization's list.`,
  group,
  access: member("licenses:view"),
  query: listQuery,
  answer: listed,
});
