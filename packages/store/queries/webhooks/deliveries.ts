import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { openText, sealText } from "../../sealed-columns.ts";
import type { Bulk, Database } from "../../store.ts";
import type { DeliveryAttemptRow, DeliveryRow, EventRow, StoredAttemptRow } from "../../tables/events.ts";
import { idsWithin } from "../conditions.ts";
import { isPending } from "./claim-deliveries.ts";

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

/** The result of an attempt, and the next state of its delivery. */
export interface DeliveryResult {
  readonly attempt: DeliveryAttemptRow;
  readonly state: DeliveryRow["state"];
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
}

/** Records attempts. A delivery that another node has claimed since is left to it. */
export async function writeResults(
  db: Database,
  bulk: Bulk,
  claimant: string,
  results: readonly DeliveryResult[],
  nowMs: number,
): Promise<void> {
  const attempts = results.map((result) => sealAttempt(db, result.attempt));
  // Some may already be written, by a transaction whose outcome is unknown.
  await bulk.insert(db, "delivery_attempts", attempts, "(id) do nothing");
  await writeDeliveries(db, bulk, claimant, results, nowMs);
}

export function sealAttempt(db: Database, { response_body, ...rest }: DeliveryAttemptRow): StoredAttemptRow {
  // Most receivers return nothing: empty text need not be encrypted.
  return { ...rest, sealed_response: response_body ? sealText(db, response_body) : response_body };
}

export function openAttempt(
  db: Database,
  { sealed_response, ...rest }: StoredAttemptRow,
): DeliveryAttemptRow {
  return { ...rest, response_body: sealed_response ? openText(db, sealed_response) : sealed_response };
}

/** Only updates the deliveries. */
export async function writeDeliveries(
  db: Database,
  bulk: Bulk,
  claimant: string,
  results: readonly DeliveryResult[],
  nowMs: number,
): Promise<void> {
  for (const alike of groups(results)) {
    const [first] = alike;
    if (first === undefined) continue;
    await db
      .updateTable("deliveries")
      .set({
        state: first.state,
        attempts: first.attempts,
        next_attempt_at: first.nextAttemptAt,
        last_status: first.attempt.status,
        finished_at: first.state === "pending" ? null : nowMs,
        claimed_by: null,
        claimed_until: null,
      })
      .where(bulk.among("id", alike.map((result) => result.attempt.delivery_id).toSorted()))
      .where("claimed_by", "=", claimant)
      .where(isPending)
      .execute();
  }
}

/** Those with the same result share one statement: most are delivered on the first attempt with 200. */
function groups(results: readonly DeliveryResult[]): DeliveryResult[][] {
  const byEnd = Map.groupBy(results, ({ state, attempts, nextAttemptAt, attempt }) =>
    [state, attempts, nextAttemptAt, attempt.status].join(),
  );
  return [...byEnd.values()];
}

/** What a batch of attempts says about their endpoint. */
export interface EndpointChange {
  readonly endpointId: string;
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  /** The first failure without a later success; null if the last attempt succeeded. */
  readonly failingSince: number | null;
}

/** Records it, and returns the endpoint as it is stored then; nothing if it is gone. */
export async function recordEndpointChange(db: Database, news: EndpointChange) {
  const { endpointId, lastSuccessAt, lastFailureAt, failingSince } = news;
  return db
    .updateTable("webhook_endpoints")
    .set((row) => ({
      failing_since:
        lastSuccessAt !== null ? failingSince : row.fn.coalesce("failing_since", row.val(failingSince)),
      ...(lastSuccessAt === null ? {} : { last_success_at: lastSuccessAt }),
      ...(lastFailureAt === null ? {} : { last_failure_at: lastFailureAt }),
    }))
    .where("id", "=", endpointId)
    .returningAll()
    .executeTakeFirst();
}
