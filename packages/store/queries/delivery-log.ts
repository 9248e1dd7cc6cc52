import { firstUuidAt } from "@countersign/domain/ids/uuid";
import type { Database } from "../store.ts";
import type { DeliveryAttemptRow, DeliveryRow, EventRow } from "../tables.ts";

/** What is looked at of deliveries, along the indexes that begin with the endpoint. Ids sort by time. */

export interface DeliveryFilter {
  readonly endpointId: string;
  readonly state: DeliveryRow["state"] | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/**
 * In the order of ids, from where another reading ended. The ids first: an index tells them all by itself, and so the
 * database takes the one that knows the state. Times are those that the ids were made at.
 */
export async function deliveriesAfter(
  db: Database,
  { endpointId, state, fromMs, toMs }: DeliveryFilter,
  { after, descending, limit }: { after: string | null; descending: boolean; limit: number },
): Promise<DeliveryRow[]> {
  const direction = descending ? "desc" : "asc";
  let query = db.selectFrom("deliveries").select("id").where("endpoint_id", "=", endpointId);
  if (state !== null) query = query.where("state", "=", state);
  if (fromMs !== null) query = query.where("id", ">=", firstUuidAt(Math.max(0, fromMs)));
  if (toMs !== null) query = query.where("id", "<", firstUuidAt(Math.max(0, toMs)));
  if (after !== null) query = query.where("id", descending ? "<" : ">", after);
  const ids = query.orderBy("id", direction).limit(limit);
  return db.selectFrom("deliveries").selectAll().where("id", "in", ids).orderBy("id", direction).execute();
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

/** Which of these events are still known. */
export async function eventsAmong(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom("events").select("id").where("id", "in", ids).execute();
  return new Set(rows.map((row) => row.id));
}

/** Every delivery of these events to an endpoint. Few others hear of an event, so that only the index of events is used. */
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
  return query.orderBy("id").limit(page.limit).execute();
}

/** How many there are, counted up to `most`. */
export async function countDeliveries(
  db: Database,
  endpointId: string,
  state: DeliveryRow["state"],
  sinceMs: number | null,
  most: number,
): Promise<number> {
  const { count } = await db
    .selectFrom((from) => {
      const rows = from
        .selectFrom("deliveries")
        .select("id")
        .where("endpoint_id", "=", endpointId)
        .where("state", "=", state)
        .limit(most);
      return (sinceMs === null ? rows : rows.where("id", ">=", firstUuidAt(sinceMs))).as("counted");
    })
    .select((is) => is.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** How long the newest attempts took. */
export async function newestDurations(
  db: Database,
  endpointId: string,
  sinceMs: number,
  most: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom("delivery_attempts")
    .select("duration_ms")
    .where("endpoint_id", "=", endpointId)
    .where("id", ">=", firstUuidAt(sinceMs))
    .orderBy("id", "desc")
    .limit(most)
    .execute();
  return rows.map((row) => row.duration_ms);
}

/** What became of the newest deliveries. */
export async function newestStates(
  db: Database,
  endpointId: string,
  most: number,
): Promise<DeliveryRow["state"][]> {
  const rows = await db
    .selectFrom("deliveries")
    .select("state")
    .where("endpoint_id", "=", endpointId)
    .orderBy("id", "desc")
    .limit(most)
    .execute();
  return rows.map((row) => row.state);
}
