import type { Database } from "../../store.ts";
import type { StripeEventRow, StripePriceRow } from "../../tables/billing.ts";

export type PriceTerms = Omit<StripePriceRow, "price_id">;

export async function storedPrice(db: Database, terms: PriceTerms): Promise<string | undefined> {
  const row = await db
    .selectFrom("stripe_prices")
    .select("price_id")
    .where("mode", "=", terms.mode)
    .where("plan", "=", terms.plan)
    .where("interval_unit", "=", terms.interval_unit)
    .where("currency", "=", terms.currency)
    .where("amount", "=", terms.amount)
    .executeTakeFirst();
  return row?.price_id;
}

export async function storePrice(db: Database, row: StripePriceRow): Promise<void> {
  await db
    .insertInto("stripe_prices")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["mode", "plan", "interval_unit", "currency", "amount"])
        .doUpdateSet({ price_id: row.price_id }),
    )
    .execute();
}

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
