import { eventTypes } from "@countersign/domain/events/types";
import { deliveryStates, finalStates } from "@countersign/domain/webhooks/delivery";
import { z } from "zod";
import { member, route } from "../api/route.ts";
import { failureShape, id, inSteps, page, pageQuery, time } from "../api/shapes.ts";
import { eventTypeList } from "./webhook-shapes.ts";

const group = "Webhooks";
const one = "/organizations/{organization_id}/webhooks/{endpoint_id}";
const aDelivery = `${one}/deliveries/{delivery_id}` as const;
const looking = member("webhooks:view", "webhooks:manage");
const managing = member("webhooks:manage");

const state = z.enum(deliveryStates).meta({
  description:
    "`failed`: there are no more attempts. `held`: the delivery waits until the endpoint is enabled again.",
});

export const delivery = z
  .object({
    id,
    event_id: id,
    webhook_id: z.string().meta({ description: "The same for every attempt and replay of an event." }),
    event_type: z.string(),
    state,
    attempts: z.int(),
    next_attempt_at: time.nullable(),
    last_status: z
      .int()
      .nullable()
      .meta({ description: "The HTTP status of the last response. Null if there was none." }),
    created_at: time,
    finished_at: time.nullable(),
  })
  .meta({ id: "WebhookDelivery" });

const attempt = z
  .object({
    id,
    at: time,
    duration_ms: z.int(),
    request_headers: z
      .record(z.string(), z.string())
      .meta({ description: "The headers that were sent. Custom headers appear without their values." }),
    status: z.int().nullable(),
    response_body: z.string().nullable().meta({ description: "The first 4 KB of the response." }),
    failure: failureShape.nullable().meta({ description: "Why it failed; null if it succeeded." }),
  })
  .meta({ id: "WebhookAttempt" });

export const testWebhook = route({
  id: "testWebhook",
  method: "POST",
  path: `${one}/test`,
  summary: "Send a test event to a webhook endpoint",
  description: "Sends an endpoint.test event to this endpoint only, regardless of its event types.",
  group,
  access: managing,
  answer: delivery,
  problems: ["webhook_not_found", "webhook_disabled"],
});

export const listWebhookDeliveries = route({
  id: "listWebhookDeliveries",
  method: "GET",
  path: `${one}/deliveries`,
  summary: "List a webhook endpoint's deliveries, newest first",
  description: inSteps,
  group,
  access: looking,
  query: pageQuery.extend({
    state: state.optional(),
    event_type: z.enum(eventTypes).optional(),
    from: time.optional().meta({ description: "Only deliveries from this time on." }),
    to: time.optional().meta({ description: "Only deliveries before this time." }),
  }),
  answer: page(delivery),
  problems: ["webhook_not_found"],
});

export const getWebhookDelivery = route({
  id: "getWebhookDelivery",
  method: "GET",
  path: aDelivery,
  summary: "Get a delivery with its event",
  group,
  access: looking,
  answer: delivery
    .extend({
      event: z
        .object({
          type: z.string(),
          timestamp: time,
          data: z.record(z.string(), z.json()),
        })
        .nullable()
        .meta({ description: "Null if the event is no longer stored." }),
    })
    .meta({ id: "WebhookDeliveryInFull" }),
  problems: ["webhook_not_found", "delivery_not_found"],
});

export const listWebhookAttempts = route({
  id: "listWebhookAttempts",
  method: "GET",
  path: `${aDelivery}/attempts`,
  summary: "List a delivery's attempts, oldest first",
  group,
  access: looking,
  query: pageQuery,
  answer: page(attempt),
  problems: ["webhook_not_found", "delivery_not_found"],
});

export const sendWebhookDeliveryNow = route({
  id: "sendWebhookDeliveryNow",
  method: "POST",
  path: `${aDelivery}/send-now`,
  summary: "Send a pending delivery now",
  description:
    "Counts as one of the ten attempts. Use replay for a delivery that has ended, and enable the endpoint for one that is held.",
  group,
  access: managing,
  answer: delivery,
  status: 200,
  problems: [
    "webhook_not_found",
    "delivery_not_found",
    "webhook_disabled",
    "delivery_finished",
    "delivery_in_progress",
  ],
});

export const replayWebhookDelivery = route({
  id: "replayWebhookDelivery",
  method: "POST",
  path: `${aDelivery}/replay`,
  summary: "Replay a delivery",
  description:
    "Sends the event again as a new delivery with the same `webhook-id`, so that the receiver can recognize it.",
  group,
  access: managing,
  answer: delivery,
  problems: ["webhook_not_found", "delivery_not_found", "webhook_disabled", "event_pruned", "event_pending"],
});

export const replayWebhookDeliveries = route({
  id: "replayWebhookDeliveries",
  method: "POST",
  path: `${one}/replay`,
  summary: "Replay deliveries in bulk",
  description:
    "Sends the events of failed deliveries again or, with `states`, also those of successful ones. `from`, `to` and " +
    "`event_types` narrow the selection. Each event is sent once, unless it is still pending or a failed one was " +
    "delivered since. More than a few hundred require an Idempotency-Key. Continue with `next_cursor` until it is null.",
  group,
  access: managing,
  body: z.strictObject({
    states: z.array(z.enum(finalStates)).min(1).max(2).default(["failed"]),
    event_types: eventTypeList.nullable().default(null).meta({ description: "Null for all event types." }),
    from: time.optional().meta({ description: "Only deliveries created from this time on." }),
    to: time.optional().meta({ description: "Only deliveries created before this time. Now by default." }),
    cursor: z.string().max(4_000).optional(),
  }),
  answer: z.object({
    replayed: z.int(),
    next_cursor: z.string().nullable().meta({ description: "Null if there are no more." }),
  }),
  status: 200,
  problems: ["webhook_not_found", "webhook_disabled"],
});
