import { firstUuidAt } from "@countersign/domain/ids/uuid";
import type { Database } from "../../store.ts";
import type { DeliveryAttemptRow, DeliveryRow, EventRow } from "../../tables/events.ts";
import { idsWithin } from "../index-range.ts";
import { openAttempt } from "./delivery-results.ts";

/** Reads deliveries along the indexes that begin with the endpoint. IDs sort by time. */

export interface DeliveryFilter {
  readonly endpointId: string;
  readonly state: DeliveryRow["state"] | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/**
 * In the order of IDs, from where the previous page ended. The IDs come first: an index contains them all, so the
 * database uses the one with the state. The rows are joined to them: with an `in` condition, PostgreSQL scans the whole
 * table. Times are those at which the IDs were generated.
 */
export async function deliveriesAfter(
  db: Database,
  { endpointId, state, fromMs, toMs }: DeliveryFilter,
  { after, descending, limit }: { after: string | null; descending: boolean; limit: number },
): Promise<DeliveryRow[]> {
  const direction = descending ? "desc" : "asc";
  const start = { endpoint_id: endpointId, ...(state === null ? {} : { state }) };
  const range = {
    from: fromMs === null ? null : firstUuidAt(Math.max(0, fromMs)),
    after: descending ? null : after,
    before: [toMs === null ? null : firstUuidAt(Math.max(0, toMs)), descending ? after : null],
  };
  let query = db.selectFrom("deliveries").select("id").where(idsWithin(start, range));
  for (const column of ["endpoint_id", ...(state === null ? [] : ["state" as const]), "id"] as const)
    query = query.orderBy(column, direction);
  const rows = await db
    .selectFrom(query.limit(limit).as("page"))
    .innerJoin("deliveries", "deliveries.id", "page.id")
    .selectAll("deliveries")
    .execute();
  // Sorted here, because a database might walk all IDs to return them in order.
  return rows.sort((a, b) => (a.id < b.id === descending ? 1 : -1));
}

export async function deliveryOf(
  db: Database,
  endpointId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom("deliveries")
    .selectAll()
    .where("id", "=", id)
    .where("endpoint_id", "=", endpointId)
    .executeTakeFirst();
}

export async function eventOf(db: Database, id: string): Promise<EventRow | undefined> {
  return db.selectFrom("events").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Which of these events still exist. */
export async function eventsAmong(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom("events").select("id").where("id", "in", ids).execute();
  return new Set(rows.map((row) => row.id));
}

/** Every delivery of these events to an endpoint. Few endpoints get an event, so only the index of events is used. */
export async function deliveriesOfEvents(
  db: Database,
  endpointId: string,
  eventIds: readonly string[],
): Promise<Pick<DeliveryRow, "id" | "event_id" | "state" | "created_at">[]> {
  if (eventIds.length === 0) return [];
  const rows = await db
    .selectFrom("deliveries")
    .select(["id", "endpoint_id", "event_id", "state", "created_at"])
    .where("event_id", "in", eventIds)
    .execute();
  return rows.filter((row) => row.endpoint_id === endpointId);
}

export async function attemptsOf(
  db: Database,
  deliveryId: string,
  page: { readonly afterId: string | null; readonly limit: number },
): Promise<DeliveryAttemptRow[]> {
  let query = db.selectFrom("delivery_attempts").selectAll().where("delivery_id", "=", deliveryId);
  if (page.afterId !== null) query = query.where("id", ">", page.afterId);
  const rows = await query.orderBy("id").limit(page.limit).execute();
  return rows.map((row) => openAttempt(db, row));
}
