import type { Database } from "../../store.ts";
import type { DeliveryAttemptRow, DeliveryRow, StoredEndpointRow } from "../../tables/events.ts";
import { sealAttempt } from "./delivery-results.ts";
import { isHeld } from "./hold-deliveries.ts";

/** How endpoints that were disabled for failing are retried. A claim is a lease, like that of a delivery. */

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

/** Claims those that no other node has claimed in the meantime. `next_probe_at` identifies the claim afterwards. */
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

/** The oldest or the newest event that an endpoint has missed. */
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

/** A delivery that is no longer held was sent meanwhile, and is skipped. */
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
