import type { replayWebhookDeliveries } from "@countersign/contract/manage/webhook-deliveries";
import { isFinal } from "@countersign/domain/webhooks/delivery-state";
import {
  deliveriesAfter,
  deliveriesOfEvents,
  eventsAmong,
} from "@countersign/store/queries/webhooks/delivery-log";
import { addDeliveries } from "@countersign/store/queries/webhooks/distribute";
import type { Database } from "@countersign/store/store";
import type { DeliveryRow } from "@countersign/store/tables/events";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import type { z } from "zod";
import type { Context, OrganizationContext } from "../../api/context.ts";
import { decodeCursor, encodeCursor, milliseconds } from "../../api/page.ts";
import { invalid } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { findEndpoint } from "./endpoints.ts";
import { checkEnabled, newDelivery, readyEndpoint } from "./replay-one.ts";
import { subjectOf } from "./show.ts";

type Order = z.output<typeof replayWebhookDeliveries.body>;

/** The size of one transaction: validations wait while it runs. */
const batchSize = 200;
/** How much is read to find that many: rare types are searched for in steps. */
const rowsAtOnce = 500;
/** The caller gets a response by then, before the connection times out. */
const longestMs = 8_000;

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
  const until = performance.now() + longestMs;
  for (let isFirst = true; !progress.isOver; isFirst = false) {
    const before: Progress = progress;
    const { rows, end } = await nextBatch(context, endpointId, order, before, until);
    const work = async (db: Database): Promise<Progress> => ({
      ...before,
      after: end,
      replayed: before.replayed + (await replayBatch(db, context, endpointId, order, rows, before.startMs)),
      isOver: end === null || performance.now() > until,
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
  until: number,
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
      if (isMeant(row, order)) rows.push(row);
      if (rows.length === batchSize) return { rows, end };
    }
    if (read.length < rowsAtOnce) return { rows, end: null };
    if (performance.now() > until) return { rows, end };
    await yieldToEventLoop();
  }
}

function isMeant({ state, event_type }: Pick<DeliveryRow, "state" | "event_type">, order: Order): boolean {
  if (!isFinal(state) || !order.states.includes(state)) return false;
  return order.event_types === null || (order.event_types as string[]).includes(event_type);
}

/** Sends each event of a batch once more, unless a later delivery makes that unnecessary. Returns how many. */
async function replayBatch(
  db: Database,
  context: OrganizationContext,
  endpointId: string,
  order: Order,
  rows: readonly DeliveryRow[],
  startMs: number,
): Promise<number> {
  const endpoint = await readyEndpoint(db, context, endpointId);
  if (rows.length === 0) return 0;
  const eventIds = [...new Set(rows.map((row) => row.event_id))];
  const known = await eventsAmong(db, eventIds);
  const toMs = order.to === undefined ? startMs : Math.min(startMs, milliseconds(order.to));
  const all = Map.groupBy(await deliveriesOfEvents(db, endpoint.id, eventIds), (row) => row.event_id);
  const again: DeliveryRow[] = [];
  for (const row of rows) {
    const later = (all.get(row.event_id) ?? []).filter((other) => other.id > row.id);
    const isNeedless = later.some(
      (other) =>
        !isFinal(other.state) ||
        other.created_at >= startMs ||
        (other.state === "delivered" && !order.states.includes("delivered")) ||
        // That one is in the range too, and represents the event.
        (other.created_at < toMs && isMeant({ ...other, event_type: row.event_type }, order)),
    );
    // Another node's clock may be behind: this replay's own deliveries are recognized by what is stored with the ID.
    const isOwn = row.created_at >= startMs;
    if (isOwn || isNeedless || !known.has(row.event_id)) continue;
    again.push(newDelivery(endpoint, row, context.nowMs));
  }
  if (again.length === 0) return 0;
  await addDeliveries(db, again);
  const { states, event_types = null, from = null, to = null } = order;
  await audit(db, context, {
    action: "webhook.deliveries_replayed",
    subject: subjectOf(endpoint),
    after: { replayed: again.length, states, event_types, from, to },
  });
  return again.length;
}

/** If the request is repeated, there must be a way to tell what was already sent. */
function checkCanBeRepeated({ request }: Context): void {
  if (request.headers.has("idempotency-key")) return;
  throw invalid("Idempotency-Key", "idempotency_key_required");
}
