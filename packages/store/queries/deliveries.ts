import { sql } from "kysely";
import type { Database } from "../store.ts";
import type { DeliveryRow } from "../tables.ts";

/** How deliveries follow their endpoint. How they are sent is in `claim-deliveries.ts` and `delivery-results.ts`. */

/** So many change at once in a transaction; `deliveriesOutOfStep` finds the rest, and the tidying goes on with it. */
export const deliveriesAtOnce = 1_000;

/** What an endpoint missed while it was disabled is sent now, with all its attempts before it. */
export async function enableDeliveries(db: Database, endpointId: string, nowMs: number): Promise<number> {
  const held = db
    .selectFrom("deliveries")
    .select("id")
    .where("endpoint_id", "=", endpointId)
    .where("state", "=", "held")
    .orderBy("id")
    .limit(deliveriesAtOnce);
  return changed(db, held, pendingFrom(nowMs), ["held"]);
}

/** What was on its way to an endpoint waits from now on. What is being sent at this moment is left to its sender. */
export async function holdDeliveries(db: Database, endpointId: string, nowMs: number): Promise<number> {
  const waiting = db
    .selectFrom("deliveries")
    .select("id")
    .where("endpoint_id", "=", endpointId)
    .where("state", "=", "pending")
    .where((is) => is.or([is("claimed_until", "is", null), is("claimed_until", "<=", nowMs)]))
    .orderBy("id")
    .limit(deliveriesAtOnce);
  return changed(
    db,
    waiting,
    { state: "held", next_attempt_at: null, claimed_by: null, claimed_until: null },
    ["pending"],
  );
}

/** Endpoints whose deliveries are not yet as the endpoint is: held though it is enabled, or pending though it is not. */
export async function deliveriesOutOfStep(
  db: Database,
): Promise<{ held: readonly string[]; pending: readonly string[] }> {
  const { rows } = await sql<{ id: string; status: string }>`
    select e.id, e.status from webhook_endpoints e
    where e.deleted_at is null and ((e.status = 'enabled'
        and exists (select 1 from deliveries d where d.endpoint_id = e.id and d.state = 'held'))
      or (e.status = 'disabled'
        and exists (select 1 from deliveries d where d.endpoint_id = e.id and d.state = 'pending')))`.execute(
    db,
  );
  const of = (status: string) => rows.filter((row) => row.status === status).map((row) => row.id);
  return { held: of("enabled"), pending: of("disabled") };
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

/** The condition stands in both places: of two that chose the same rows, the slower one looks again. */
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
