import type { Database } from "../../store.ts";
import type { StripeEventRow } from "../../tables/billing.ts";

export async function wasProcessed(db: Database, eventId: string): Promise<boolean> {
  const row = await db.selectFrom("stripe_events").select("id").where("id", "=", eventId).executeTakeFirst();
  return row !== undefined;
}

/** An event that arrives several times at once is recorded once. */
export async function recordStripeEvent(db: Database, row: StripeEventRow): Promise<void> {
  await db
    .insertInto("stripe_events")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

export async function oldStripeEvents(db: Database, beforeMs: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("stripe_events")
    .select("id")
    .where("received_at", "<", beforeMs)
    .orderBy("received_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

export async function pruneStripeEvents(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom("stripe_events").where("id", "in", ids).execute();
}
