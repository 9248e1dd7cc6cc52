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
