import type { Database } from "../store.ts";
import type { DeliveryAttemptRow, DeliveryRow, StoredEndpointRow } from "../tables.ts";
import { isHeld } from "./deliveries.ts";
import { sealAttempt } from "./delivery-results.ts";

/** How endpoints that were disabled because they failed are tried again. A claim is a lease, as that of a delivery is. */

export async function endpointsToProbe(db: Database, nowMs: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("webhook_endpoints")
    .select("id")
    .where("next_probe_at", "<=", nowMs)
    .where("disabled_reason", "=", "failing")
    .where("deleted_at", "is", null)
    .orderBy("next_probe_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Takes those that nobody else has taken meanwhile. `next_probe_at` is what the claim is known by afterwards. */
export async function claimProbes(
  db: Database,
  ids: readonly string[],
  nowMs: number,
  untilMs: number,
): Promise<StoredEndpointRow[]> {
  return db
    .updateTable("webhook_endpoints")
    .set({ next_probe_at: untilMs })
    .where("id", "in", ids)
    .where("next_probe_at", "<=", nowMs)
    .where("disabled_reason", "=", "failing")
    .where("deleted_at", "is", null)
    .returningAll()
    .execute();
}

/** What an endpoint has missed: the oldest or the newest of it. */
export async function missedDelivery(
  db: Database,
  endpointId: string,
  which: "oldest" | "newest",
): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom("deliveries")
    .selectAll()
    .where("endpoint_id", "=", endpointId)
    .where(isHeld)
    .orderBy("id", which === "oldest" ? "asc" : "desc")
    .limit(1)
    .executeTakeFirst();
}

/** A delivery that is not held any more was sent by somebody else since, and is left to them. */
export async function writeProbe(
  db: Database,
  attempt: DeliveryAttemptRow,
  isDelivered: boolean,
  nowMs: number,
): Promise<void> {
  await db
    .insertInto("delivery_attempts")
    .values(sealAttempt(db, attempt))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  await db
    .updateTable("deliveries")
    .set((row) => ({
      attempts: row("attempts", "+", 1),
      last_status: attempt.status,
      ...(isDelivered ? ({ state: "delivered", finished_at: nowMs } as const) : {}),
    }))
    .where("id", "=", attempt.delivery_id)
    .where("state", "=", "held")
    .execute();
}
