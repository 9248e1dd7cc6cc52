import type { replayWebhookDeliveries } from "@countersign/contract/manage/webhook-deliveries";
import { isFinal } from "@countersign/domain/webhooks/delivery";
import { addEvents } from "@countersign/store/queries/events/events";
import {
  deliveriesAfter,
  deliveriesOfEvents,
  deliveryOf,
  eventsAmong,
} from "@countersign/store/queries/webhooks/deliveries";
import { addDeliveries } from "@countersign/store/queries/webhooks/distribute";
import { makeDue } from "@countersign/store/queries/webhooks/hold-deliveries";
import type { Database } from "@countersign/store/store";
import type { DeliveryRow, WebhookEndpointRow } from "@countersign/store/tables/events";

import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import type { z } from "zod";
import type { Context, OrganizationContext } from "../../../api/context.ts";
import { decodeCursor, encodeCursor, milliseconds } from "../../../api/page.ts";
import { invalid, Problem } from "../../../http/problem.ts";
import { audit } from "../../audit-log/record.ts";
import { newDelivery } from "../delivery/distribute.ts";
import { testEvent } from "../delivery/probe.ts";
import { subjectOf } from "../delivery/switch.ts";
import { type ShownDelivery, showDelivery } from "./deliveries.ts";
import { currentEndpoint, findEndpoint } from "./endpoints.ts";

/** To this endpoint only, immediately, whatever it is subscribed to. */
export async function sendTest(context: OrganizationContext, endpointId: string): Promise<ShownDelivery> {
  return context.transaction(async (db) => {
    const endpoint = await currentEndpoint(db, context, endpointId);
    checkEnabled(endpoint);
    const event = testEvent(endpoint, context.nowMs, "This is a test event from Countersign.");
    await addEvents(db, [event]);
    const delivery = newDelivery(endpoint, event, context.nowMs);
    await addDeliveries(db, [delivery]);
    await audit(db, context, {
      action: "webhook.tested",
      subject: subjectOf(endpoint),
      after: { delivery_id: delivery.id },
    });
    return showDelivery(delivery);
  });
}

export async function replayOne(
  context: OrganizationContext,
  endpointId: string,
  deliveryId: string,
): Promise<ShownDelivery> {
  return context.transaction(async (db) => {
    const { endpoint, before } = await currentDelivery(db, context, endpointId, deliveryId);
    if (!(await eventsAmong(db, [before.event_id])).has(before.event_id)) throw new Problem("event_pruned");
    const others = await deliveriesOfEvents(db, endpoint.id, [before.event_id]);
    if (others.some(({ state }) => !isFinal(state))) throw new Problem("event_pending");
    const delivery = newDelivery(endpoint, eventOf(before), context.nowMs);
    await addDeliveries(db, [delivery]);
    await audit(db, context, {
      action: "webhook.delivery_replayed",
      subject: subjectOf(endpoint),
      after: { replayed_delivery_id: before.id, delivery_id: delivery.id },
    });
    return showDelivery(delivery);
  });
}

/** A delivery of an enabled endpoint. */
async function currentDelivery(
  db: Database,
  context: OrganizationContext,
  endpointId: string,
  deliveryId: string,
) {
  const endpoint = await currentEndpoint(db, context, endpointId);
  const before = await deliveryOf(db, endpoint.id, deliveryId);
  if (before === undefined) throw new Problem("delivery_not_found");
  checkEnabled(endpoint);
  return { endpoint, before };
}

function checkEnabled({ status }: WebhookEndpointRow): void {
  if (status !== "enabled") throw new Problem("webhook_disabled");
}

type Order = z.output<typeof replayWebhookDeliveries.body>;

/** The size of one transaction: validations wait while it runs. */
const batchSize = 200;
/** How much is read to find that many: rare types are searched for in steps. */
const rowsAtOnce = 500;
/** The caller gets a response by then, before the connection times out. */
const requestTimeoutMs = 8_000;

/** The progress. Stored with each batch, so that a repeat continues from here and sends nothing twice. */
interface Progress {
  /** When the first attempt began: deliveries created from then on, also by this replay, are not replayed. */
  readonly startMs: number;
  readonly after: string | null;
  readonly replayed: number;
  readonly isOver: boolean;
}

export async function replayMany(context: OrganizationContext, endpointId: string, order: Order) {
  checkEnabled(await findEndpoint(context.store.reads, context, endpointId));
  let progress = (context.progress() as Progress | null) ?? {
    ...startOf(context, order.cursor),
    replayed: 0,
    isOver: false,
  };
  const untilMs = performance.now() + requestTimeoutMs;
  for (let isFirst = true; !progress.isOver; isFirst = false) {
    const before: Progress = progress;
    const { rows, end } = await nextBatch(context, endpointId, order, before, untilMs);
    const work = async (db: Database): Promise<Progress> => ({
      ...before,
      after: end,
      replayed:
        before.replayed +
        (await replayBatch(db, context, { endpointId, order, deliveries: rows, startMs: before.startMs })),
      isOver: end === null || performance.now() > untilMs,
    });
    // If everything fits into one transaction, the response is stored with it.
    if (isFirst && end === null && before.replayed === 0)
      return context.transaction(async (db) => answerOf(await work(db)));
    checkCanBeRepeated(context);
    progress = await context.step(work);
    await yieldToEventLoop();
  }
  const done = progress;
  return context.transaction(async () => answerOf(done));
}

function answerOf({ replayed, after, startMs }: Progress) {
  return { replayed, next_cursor: after === null ? null : encodeCursor([startMs, after]) };
}

function startOf({ nowMs }: Context, cursor: string | undefined): Pick<Progress, "startMs" | "after"> {
  const values = decodeCursor(cursor, ["number", "text"]);
  if (values === null) return { startMs: nowMs, after: null };
  return { startMs: Math.min(nowMs, Number(values[0])), after: String(values[1]) };
}

/** The next deliveries with these states and types, oldest first, and where to continue; null after the last. */
async function nextBatch(
  context: Context,
  endpointId: string,
  order: Order,
  { startMs, after }: Progress,
  untilMs: number,
): Promise<{ rows: DeliveryRow[]; end: string | null }> {
  const [only, another] = order.states;
  const filter = {
    endpointId,
    state: another === undefined || another === only ? (only ?? null) : null,
    fromMs: order.from === undefined ? null : milliseconds(order.from),
    toMs: order.to === undefined ? startMs : Math.min(startMs, milliseconds(order.to)),
  };
  const rows: DeliveryRow[] = [];
  for (let end = after; ; ) {
    const read = await deliveriesAfter(context.store.listReads, filter, {
      after: end,
      descending: false,
      limit: rowsAtOnce,
    });
    for (const row of read) {
      end = row.id;
      if (isSelected(row, order)) rows.push(row);
      if (rows.length === batchSize) return { rows, end };
    }
    if (read.length < rowsAtOnce) return { rows, end: null };
    if (performance.now() > untilMs) return { rows, end };
    await yieldToEventLoop();
  }
}

function isSelected({ state, event_type }: Pick<DeliveryRow, "state" | "event_type">, order: Order): boolean {
  if (!isFinal(state) || !order.states.includes(state)) return false;
  return order.event_types === null || (order.event_types as string[]).includes(event_type);
}

interface Batch {
  readonly endpointId: string;
  readonly order: Order;
  readonly deliveries: readonly DeliveryRow[];
  /** When the replay began. */
  readonly startMs: number;
}

/** Sends each event of a batch once more, unless a later delivery makes that unnecessary. Returns how many. */
async function replayBatch(
  db: Database,
  context: OrganizationContext,
  { endpointId, order, deliveries, startMs }: Batch,
): Promise<number> {
  const endpoint = await currentEndpoint(db, context, endpointId);
  checkEnabled(endpoint);
  if (deliveries.length === 0) return 0;
  const eventIds = [...new Set(deliveries.map((row) => row.event_id))];
  const known = await eventsAmong(db, eventIds);
  const toMs = order.to === undefined ? startMs : Math.min(startMs, milliseconds(order.to));
  const deliveriesByEvent = Map.groupBy(
    await deliveriesOfEvents(db, endpoint.id, eventIds),
    (row) => row.event_id,
  );
  const newDeliveries: DeliveryRow[] = [];
  for (const row of deliveries) {
    const later = (deliveriesByEvent.get(row.event_id) ?? []).filter((other) => other.id > row.id);
    const isUnnecessary = later.some(
      (other) =>
        !isFinal(other.state) ||
        other.created_at >= startMs ||
        (other.state === "delivered" && !order.states.includes("delivered")) ||
        // That one is in the range too, and represents the event.
        (other.created_at < toMs && isSelected({ ...other, event_type: row.event_type }, order)),
    );
    // Another node's clock may be behind: this replay's own deliveries are recognized by what is stored with the ID.
    const isOfThisReplay = row.created_at >= startMs;
    if (isOfThisReplay || isUnnecessary || !known.has(row.event_id)) continue;
    newDeliveries.push(newDelivery(endpoint, eventOf(row), context.nowMs));
  }
  if (newDeliveries.length === 0) return 0;
  await addDeliveries(db, newDeliveries);
  const { states, event_types = null, from = null, to = null } = order;
  await audit(db, context, {
    action: "webhook.deliveries_replayed",
    subject: subjectOf(endpoint),
    after: { replayed: newDeliveries.length, states, event_types, from, to },
  });
  return newDeliveries.length;
}

function eventOf({ event_id: id, event_type: type }: Pick<DeliveryRow, "event_id" | "event_type">) {
  return { id, type };
}

/** If the request is repeated, there must be a way to tell what was already sent. */
function checkCanBeRepeated({ request }: Context): void {
  if (request.headers.has("idempotency-key")) return;
  throw invalid("Idempotency-Key", "idempotency_key_required");
}

/** Brings the next attempt of a waiting delivery forward: a receiver that works again need not wait for hours. */
export async function sendNow(
  context: OrganizationContext,
  endpointId: string,
  deliveryId: string,
): Promise<ShownDelivery> {
  return context.transaction(async (db) => {
    const { endpoint, before } = await currentDelivery(db, context, endpointId, deliveryId);
    if (isFinal(before.state)) throw new Problem("delivery_finished");
    if (!(await makeDue(db, before.id, context.nowMs))) throw new Problem("delivery_in_progress");
    await audit(db, context, {
      action: "webhook.delivery_sent_now",
      subject: subjectOf(endpoint),
      after: { delivery_id: before.id },
    });
    const after = await deliveryOf(db, endpoint.id, deliveryId);
    return showDelivery(after ?? before);
  });
}
