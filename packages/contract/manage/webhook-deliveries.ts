import { eventTypes } from "@countersign/domain/events/types";
import { deliveryStates, finalStates } from "@countersign/domain/webhooks/delivery-state";
import { z } from "zod";
import { member, route } from "./route.ts";
import { failureShape, id, inSteps, page, pageQuery, time } from "./shapes.ts";
import { eventTypeList } from "./webhook-shapes.ts";

const group = "Webhooks";
const one = "/organizations/{organization_id}/webhooks/{endpoint_id}";
const aDelivery = `${one}/deliveries/{delivery_id}`;
const looking = member("webhooks:view", "webhooks:manage");
const managing = member("webhooks:manage");

const state = z.enum(deliveryStates).meta({
  description: "failed: nothing more is tried. held: it waits for the endpoint to be enabled again.",
});

export const delivery = z
  .object({
    id,
    event_id: id,
    webhook_id: z.string().meta({ description: "The same in every attempt and every replay of an event." }),
    event_type: z.string(),
    state,
    attempts: z.int(),
    next_attempt_at: time.nullable(),
    last_status: z.int().nullable().meta({ description: "Null when there was no answer." }),
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
      .meta({ description: "As they were sent; of your own headers the names alone." }),
    status: z.int().nullable(),
    response_body: z.string().nullable().meta({ description: "The first 4 KB of the answer." }),
    failure: failureShape.nullable().meta({ description: "Why it failed; null if it succeeded." }),
  })
  .meta({ id: "WebhookAttempt" });

export const testWebhook = route({
  id: "testWebhook",
  method: "POST",
  path: `${one}/test`,
  summary: "Send a test event to a webhook endpoint",
  description: "An endpoint.test event, to this endpoint alone, whatever types it chose.",
  group,
  access: managing,
  answer: delivery,
  problems: ["webhook_not_found", "webhook_disabled"],
});

export const listWebhookDeliveries = route({
  id: "listWebhookDeliveries",
  method: "GET",
  path: `${one}/deliveries`,
  summary: "List what was sent to a webhook endpoint, newest first",
  description: inSteps,
  group,
  access: looking,
  query: pageQuery.extend({
    state: state.optional(),
    event_type: z.enum(eventTypes).optional(),
    from: time.optional().meta({ description: "This time or later." }),
    to: time.optional().meta({ description: "Before this time." }),
  }),
  answer: page(delivery),
  problems: ["webhook_not_found"],
});

export const getWebhookDelivery = route({
  id: "getWebhookDelivery",
  method: "GET",
  path: aDelivery,
  summary: "Read a delivery, with what was told",
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
        .meta({ description: "Null once the event is forgotten." }),
    })
    .meta({ id: "WebhookDeliveryInFull" }),
  problems: ["webhook_not_found", "delivery_not_found"],
});

export const listWebhookAttempts = route({
  id: "listWebhookAttempts",
  method: "GET",
  path: `${aDelivery}/attempts`,
  summary: "List the attempts of a delivery, oldest first",
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
  summary: "Make the next attempt of a waiting delivery now",
  description:
    "It counts as one of the ten attempts. A delivery that is over is sent again with replay; one that is held, by enabling its endpoint.",
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
  summary: "Send an event once more",
  description: "As a new delivery with the same webhook-id, so that a receiver can tell.",
  group,
  access: managing,
  answer: delivery,
  problems: ["webhook_not_found", "delivery_not_found", "webhook_disabled", "event_pruned", "event_pending"],
});

export const replayWebhookDeliveries = route({
  id: "replayWebhookDeliveries",
  method: "POST",
  path: `${one}/replay`,
  summary: "Send many events once more",
  description:
    "All that failed, or with states also what was delivered; from, to and event_types narrow it. Each event is sent " +
    "once, and none that is on its way or, among the failed, was delivered since. With more than a few hundred it " +
    "needs an Idempotency-Key; it goes on from next_cursor while that is not null.",
  group,
  access: managing,
  body: z.strictObject({
    states: z.array(z.enum(finalStates)).min(1).max(2).default(["failed"]),
    event_types: eventTypeList.nullable().default(null).meta({ description: "Null for all." }),
    from: time.optional().meta({ description: "Made at this time or later." }),
    to: time.optional().meta({ description: "Made before this time; before now when left out." }),
    cursor: z.string().max(4_000).optional(),
  }),
  answer: z.object({
    replayed: z.int(),
    next_cursor: z.string().nullable().meta({ description: "Null when all was looked at." }),
  }),
  status: 200,
  problems: ["webhook_not_found", "webhook_disabled"],
});
