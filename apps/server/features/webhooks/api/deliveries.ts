import type { delivery } from "@countersign/contract/manage/webhook-deliveries";
import { shownFailure } from "@countersign/contract/problems/failures";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { webhookId } from "@countersign/domain/webhooks/signature";
import {
  attemptsOf,
  type DeliveryFilter,
  deliveriesAfter,
  deliveryOf,
  eventOf,
} from "@countersign/store/queries/webhooks/deliveries";
import type { Database } from "@countersign/store/store";
import type { DeliveryAttemptRow, DeliveryRow } from "@countersign/store/tables/events";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import type { z } from "zod";
import type { OrganizationContext } from "../../../api/context.ts";
import { decodeCursor, encodeCursor, milliseconds, pageOf } from "../../../api/page.ts";
import { Problem } from "../../../http/problem.ts";
import { findEndpoint } from "./endpoints.ts";

interface LogQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly state?: DeliveryRow["state"] | undefined;
  readonly event_type?: DeliveryRow["event_type"] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** There is no index by event type: this many rows are read before other requests are served, and per page. */
const rowsAtOnce = 500;
const maxRowsRead = 5_000;

export async function listDeliveries(
  context: OrganizationContext,
  endpointId: string,
  query: LogQuery,
): Promise<{ data: ShownDelivery[]; next_cursor: string | null }> {
  const db = context.store.listReads;
  const endpoint = await findEndpoint(db, context, endpointId);
  const filter: DeliveryFilter = {
    endpointId: endpoint.id,
    state: query.state ?? null,
    fromMs: query.from === undefined ? null : milliseconds(query.from),
    toMs: query.to === undefined ? null : milliseconds(query.to),
  };
  const values = decodeCursor(query.cursor, ["text"]);
  let after = values === null ? null : String(values[0]);
  const step = query.event_type === undefined ? query.limit + 1 : rowsAtOnce;
  const page: DeliveryRow[] = [];
  for (let read = 0; ; ) {
    const rows = await deliveriesAfter(db, filter, { after, descending: true, limit: step });
    for (const row of rows) {
      after = row.id;
      if (query.event_type !== undefined && row.event_type !== query.event_type) continue;
      if (page.length === query.limit) return pageUntil(page, page.at(-1)?.id ?? null);
      page.push(row);
    }
    read += rows.length;
    if (rows.length < step) return pageUntil(page, null);
    if (read >= maxRowsRead) return pageUntil(page, after);
    await yieldToEventLoop();
  }
}

export async function readDelivery(context: OrganizationContext, endpointId: string, deliveryId: string) {
  const db = context.store.reads;
  const row = await findDelivery(db, context, endpointId, deliveryId);
  const event = await eventOf(db, row.event_id);
  return {
    ...showDelivery(row),
    event:
      event === undefined
        ? null
        : { type: event.type, timestamp: isoTime(event.at), data: JSON.parse(event.data) },
  };
}

export async function listAttempts(
  context: OrganizationContext,
  endpointId: string,
  deliveryId: string,
  query: { limit: number; cursor?: string | undefined },
) {
  const db = context.store.reads;
  const delivery = await findDelivery(db, context, endpointId, deliveryId);
  const after = decodeCursor(query.cursor, ["text"]);
  const rows = await attemptsOf(db, delivery.id, {
    afterId: after === null ? null : String(after[0]),
    limit: query.limit + 1,
  });
  return pageOf(rows, query.limit, (row) => [row.id], showAttempt);
}

/** A delivery of one of the organization's endpoints. */
async function findDelivery(
  db: Database,
  context: OrganizationContext,
  endpointId: string,
  deliveryId: string,
): Promise<DeliveryRow> {
  const endpoint = await findEndpoint(db, context, endpointId);
  const row = await deliveryOf(db, endpoint.id, deliveryId);
  if (row === undefined) throw new Problem("delivery_not_found");
  return row;
}

function showAttempt(row: DeliveryAttemptRow) {
  return {
    id: row.id,
    at: isoTime(row.at),
    duration_ms: row.duration_ms,
    request_headers: JSON.parse(row.request_headers),
    status: row.status,
    response_body: row.response_body,
    failure: shownFailure(row.failure),
  };
}

function pageUntil(rows: readonly DeliveryRow[], end: string | null) {
  return { data: rows.map(showDelivery), next_cursor: end === null ? null : encodeCursor([end]) };
}

export type ShownDelivery = z.input<typeof delivery>;

export function showDelivery(row: DeliveryRow): ShownDelivery {
  return {
    id: row.id,
    event_id: row.event_id,
    webhook_id: webhookId(row.event_id),
    event_type: row.event_type,
    state: row.state,
    attempts: row.attempts,
    next_attempt_at: isoTime(row.next_attempt_at),
    last_status: row.last_status,
    created_at: isoTime(row.created_at),
    finished_at: isoTime(row.finished_at),
  };
}
