import type { Kysely } from "kysely";
import type { Tables } from "../../tables.ts";

/** Sets how much of a day's quota a product has used, replacing any other count. */
export async function setDailyUsage(db: Kysely<Tables>, productId: string, day: number, used: number) {
  await db
    .insertInto("daily_usage")
    .values({ product_id: productId, day, used, last_granted: 0, daily_limit: null })
    .onConflict((conflict) => conflict.columns(["product_id", "day"]).doUpdateSet({ used }))
    .execute();
}
