import { isFinal } from "@countersign/domain/webhooks/delivery-state";
import { newId } from "@countersign/store/new-id";
import { addEvents } from "@countersign/store/queries/events/events";
import {
  deliveriesOfEvents,
  deliveryOf,
  eventsAmong,
} from "@countersign/store/queries/webhooks/delivery-log";
import { addDeliveries } from "@countersign/store/queries/webhooks/distribute";
import type { Database } from "@countersign/store/store";
import { type DeliveryRow, distribution, type WebhookEndpointRow } from "@countersign/store/tables/events";
import type { OrganizationContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { currentEndpoint } from "./endpoints.ts";
import { type ShownDelivery, showDelivery, subjectOf } from "./show.ts";

/** To this endpoint only, immediately, whatever it is subscribed to. */
export async function sendTest(context: OrganizationContext, endpointId: string): Promise<ShownDelivery> {
  return context.transaction(async (db) => {
    const endpoint = await readyEndpoint(db, context, endpointId);
    const event = testEvent(endpoint, context.nowMs, "This is a test event from Countersign.");
    await addEvents(db, [event]);
    const delivery = newDelivery(endpoint, { event_id: event.id, event_type: event.type }, context.nowMs);
    await addDeliveries(db, [delivery]);
    await audit(db, context, {
      action: "webhook.tested",
      subject: subjectOf(endpoint),
      after: { delivery_id: delivery.id },
    });
    return showDelivery(delivery);
  });
}

export function testEvent(
  endpoint: Pick<WebhookEndpointRow, "id" | "organization_id">,
  nowMs: number,
  message: string,
) {
  const { id: endpoint_id, organization_id } = endpoint;
  return {
    id: newId(),
    organization_id,
    product_id: null,
    license_id: null,
    type: "endpoint.test",
    at: nowMs,
    data: JSON.stringify({ organization_id, endpoint_id, message }),
    undistributed: distribution.none,
  } as const;
}

export async function replayOne(
  context: OrganizationContext,
  endpointId: string,
  deliveryId: string,
): Promise<ShownDelivery> {
  return context.transaction(async (db) => {
    const endpoint = await currentEndpoint(db, context, endpointId);
    const before = await deliveryOf(db, endpoint.id, deliveryId);
    if (before === undefined) throw new Problem("delivery_not_found");
    checkEnabled(endpoint);
    if (!(await eventsAmong(db, [before.event_id])).has(before.event_id)) throw new Problem("event_pruned");
    const others = await deliveriesOfEvents(db, endpoint.id, [before.event_id]);
    if (others.some(({ state }) => !isFinal(state))) throw new Problem("event_pending");
    const delivery = newDelivery(endpoint, before, context.nowMs);
    await addDeliveries(db, [delivery]);
    await audit(db, context, {
      action: "webhook.delivery_replayed",
      subject: subjectOf(endpoint),
      after: { replayed_delivery_id: before.id, delivery_id: delivery.id },
    });
    return showDelivery(delivery);
  });
}

/** A delivery of an event to an endpoint, before its first attempt. */
export function newDelivery(
  endpoint: Pick<WebhookEndpointRow, "id" | "organization_id">,
  recorded: Pick<DeliveryRow, "event_id" | "event_type">,
  nowMs: number,
): DeliveryRow {
  return {
    id: newId(),
    organization_id: endpoint.organization_id,
    endpoint_id: endpoint.id,
    event_id: recorded.event_id,
    event_type: recorded.event_type,
    state: "pending",
    attempts: 0,
    next_attempt_at: nowMs,
    claimed_by: null,
    claimed_until: null,
    last_status: null,
    created_at: nowMs,
    finished_at: null,
  };
}

/** An endpoint that can receive deliveries, locked until the transaction ends. */
export async function readyEndpoint(
  db: Database,
  context: OrganizationContext,
  id: string,
): Promise<WebhookEndpointRow> {
  const endpoint = await currentEndpoint(db, context, id);
  checkEnabled(endpoint);
  return endpoint;
}

export function checkEnabled({ status }: WebhookEndpointRow): void {
  if (status === "enabled") return;
  throw new Problem("webhook_disabled");
}
