import { openStates } from "@countersign/domain/webhooks/delivery";
import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { DeliveryRow } from "../../tables/events.ts";

/** How deliveries follow their endpoint. How they are sent is in `claim-deliveries.ts` and `deliveries.ts`. */

/** How many change in one transaction; `deliveriesOutOfStep` finds the rest, and the periodic job continues with it. */
export const deliveriesAtOnce = 250;

/** A literal, because only then are the partial indexes used. */
const isWaiting = sql<boolean>`state = 'pending'`;
export const isHeld = sql<boolean>`state = 'held'`;

/** What an endpoint missed while it was disabled is sent now, with a full set of attempts. */
export async function enableDeliveries(db: Database, endpointId: string, nowMs: number): Promise<number> {
  const held = db
    .selectFrom("deliveries")
    .select("id")
    .where("endpoint_id", "=", endpointId)
    .where(isHeld)
    .orderBy("id")
    .limit(deliveriesAtOnce);
  return changed(db, held, pendingFrom(nowMs), ["held"]);
}

/** Pending deliveries of an endpoint are held from now on. What is being sent at this moment is left to its sender. */
export async function holdDeliveries(db: Database, endpointId: string, nowMs: number): Promise<number> {
  const waiting = db
    .selectFrom("deliveries")
    .select("id")
    .where("endpoint_id", "=", endpointId)
    .where(isWaiting)
    .where((is) => is.or([is("claimed_until", "is", null), is("claimed_until", "<=", nowMs)]))
    .orderBy("next_attempt_at")
    .limit(deliveriesAtOnce);
  return changed(
    db,
    waiting,
    { state: "held", next_attempt_at: null, claimed_by: null, claimed_until: null },
    ["pending"],
  );
}

/** Makes a waiting delivery due. False if it is not waiting, or is being sent at this moment. */
export async function makeDue(db: Database, id: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("deliveries")
    .set({ state: "pending", next_attempt_at: nowMs, claimed_by: null, claimed_until: null })
    .where("id", "=", id)
    .where("state", "in", openStates)
    .where((is) => is.or([is("claimed_until", "is", null), is("claimed_until", "<=", nowMs)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Endpoints whose deliveries do not match their state: held although it is enabled, or pending although it is not. Only
 * endpoints with deliveries are considered, one index step for each.
 */
export async function deliveriesOutOfStep(
  db: Database,
): Promise<{ held: readonly string[]; pending: readonly string[] }> {
  const inStatus = async (ids: readonly string[], status: "enabled" | "disabled") => {
    const matchingIds: string[] = [];
    for (let start = 0; start < ids.length; start += 500) {
      const rows = await db
        .selectFrom("webhook_endpoints")
        .select("id")
        .where("id", "in", ids.slice(start, start + 500))
        .where("status", "=", status)
        .where("deleted_at", "is", null)
        .execute();
      matchingIds.push(...rows.map((row) => row.id));
    }
    return matchingIds;
  };
  return {
    held: await inStatus(await endpointsWith(db, isHeld), "enabled"),
    pending: await inStatus(await endpointsWith(db, isWaiting), "disabled"),
  };
}

/** The endpoints that have deliveries of a state: from one the index leads straight to the next. */
async function endpointsWith(db: Database, isSo: typeof isHeld): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive having_some (id) as (
      select min(endpoint_id) from deliveries where ${isSo}
      union all
      select (select min(endpoint_id) from deliveries where ${isSo} and endpoint_id > h.id)
      from having_some h where h.id is not null
    )
    select id from having_some where id is not null`.execute(db);
  return rows.map((row) => row.id);
}

function pendingFrom(nowMs: number) {
  return {
    state: "pending",
    attempts: 0,
    next_attempt_at: nowMs,
    claimed_by: null,
    claimed_until: null,
    last_status: null,
    finished_at: null,
  } as const;
}

/** The condition is in both places: if two choose the same rows, the slower one checks again. */
async function changed(
  db: Database,
  ids: { execute(): Promise<{ id: string }[]> },
  changes: Partial<DeliveryRow>,
  from: readonly DeliveryRow["state"][],
): Promise<number> {
  const chosen = (await ids.execute()).map((row) => row.id);
  let count = 0;
  for (let start = 0; start < chosen.length; start += 500) {
    const { numUpdatedRows } = await db
      .updateTable("deliveries")
      .set(changes)
      .where("id", "in", chosen.slice(start, start + 500))
      .where("state", "in", from)
      .executeTakeFirst();
    count += Number(numUpdatedRows);
  }
  return count;
}
