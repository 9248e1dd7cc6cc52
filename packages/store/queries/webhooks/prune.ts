import { openStates } from "@countersign/domain/webhooks/delivery";
import type { Database } from "../../store.ts";
import { idsWithin } from "../conditions.ts";

/**
 * Prunes by age. Pending deliveries stay, however old, and so do their events; deliveries held for a disabled endpoint
 * are pruned like the rest. IDs are first found along an index, and then removed in a transaction that checks again.
 */
export interface PrunableRows {
  readonly table: "delivery_attempts" | "deliveries" | "events";
  readonly ids: readonly string[];
}

export async function oldAttempts(db: Database, beforeId: string, atMost: number): Promise<PrunableRows> {
  const rows = await db
    .selectFrom("delivery_attempts")
    .select("id")
    .where("id", "<", beforeId)
    .orderBy("id")
    .limit(atMost)
    .execute();
  return { table: "delivery_attempts", ids: rows.map((row) => row.id) };
}

export async function oldDeliveries(db: Database, beforeId: string, atMost: number): Promise<PrunableRows> {
  const rows = await db
    .selectFrom("deliveries")
    .select("id")
    .where("id", "<", beforeId)
    .where("state", "<>", "pending")
    .orderBy("id")
    .limit(atMost)
    .execute();
  return { table: "deliveries", ids: rows.map((row) => row.id) };
}

/** Events without pending deliveries. */
export async function oldEvents(db: Database, beforeMs: number, atMost: number): Promise<PrunableRows> {
  const rows = await db
    .selectFrom("events")
    .select("id")
    .where("at", "<", beforeMs)
    .where("undistributed", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("deliveries")
            .select("deliveries.id")
            .whereRef("deliveries.event_id", "=", "events.id")
            .where("deliveries.state", "in", openStates),
        ),
      ),
    )
    .orderBy("at")
    .limit(atMost)
    .execute();
  return { table: "events", ids: rows.map((row) => row.id) };
}

export async function pruneRows(db: Database, { table, ids }: PrunableRows): Promise<void> {
  if (ids.length === 0) return;
  if (table === "deliveries")
    await db.deleteFrom(table).where("id", "in", ids).where("state", "<>", "pending").execute();
  else await db.deleteFrom(table).where("id", "in", ids).execute();
}

/** Removes some data of an endpoint; returns whether there was any. */
export async function emptyEndpoint(db: Database, endpointId: string, atMost: number): Promise<boolean> {
  for (const table of ["delivery_attempts", "deliveries"] as const) {
    const rows = await db
      .selectFrom(table)
      .select("id")
      .where(idsWithin({ endpoint_id: endpointId }))
      .orderBy("endpoint_id")
      .orderBy("id")
      .limit(atMost)
      .execute();
    if (rows.length === 0) continue;
    const ids = rows.map((row) => row.id);
    await db.deleteFrom(table).where("id", "in", ids).execute();
    return true;
  }
  const { numDeletedRows } = await db
    .deleteFrom("webhook_secrets")
    .where("endpoint_id", "=", endpointId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
