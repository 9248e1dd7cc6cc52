import type { Database } from "../../store.ts";

/** The quota that these products have used since a day, by product and day. */
export async function usageSince(db: Database, productIds: readonly string[], day: number) {
  if (productIds.length === 0) return [];
  return db
    .selectFrom("daily_usage")
    .select(["product_id", "day", "used"])
    .where("product_id", "in", productIds)
    .where("day", ">=", day)
    .execute();
}
