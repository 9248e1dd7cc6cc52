import type { Kysely } from "kysely";
import type { Database } from "../../store.ts";
import type { Tables } from "../../tables.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";

/** With a year of usage each, a step reads about 40,000 rows. */
const productsAtOnce = 100;

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

/**
 * What all products of an organization have used since a day, by day. Deleted products count: their requests were
 * made, and days of the past do not change. Proceeds in steps, however many products there are.
 */
export async function organizationUsage(
  db: Database,
  organizationId: string,
  firstDay: number,
): Promise<Map<number, number>> {
  const total = new Map<number, number>();
  for (let after: ProductPosition | null = null; ; ) {
    const products: ProductPosition[] = await productsAfter(db, organizationId, after);
    const last = products.at(-1);
    if (last === undefined) return total;
    const ids = products.map(({ id }) => id);
    for (const { day, used } of await usageByDay(db, ids, firstDay))
      total.set(day, (total.get(day) ?? 0) + used);
    if (products.length < productsAtOnce) return total;
    after = last;
    await yieldToEventLoop();
  }
}

/** What these products have used together since a day, by day. */
export async function usageByDay(db: Database, productIds: readonly string[], firstDay: number) {
  const rows = await db
    .selectFrom("daily_usage")
    .select((is) => ["day", is.fn.sum<number>("used").as("used")])
    .where("product_id", "in", productIds)
    .where("day", ">=", firstDay)
    .groupBy("day")
    .execute();
  return rows.map(({ day, used }) => ({ day: Number(day), used: Number(used) }));
}

interface ProductPosition {
  readonly id: string;
  readonly created_at: number;
}

async function productsAfter(
  db: Database,
  organizationId: string,
  after: ProductPosition | null,
): Promise<ProductPosition[]> {
  let query = db
    .selectFrom("products")
    .select(["id", "created_at"])
    .where("organization_id", "=", organizationId);
  if (after !== null)
    query = query.where((is) =>
      is(is.refTuple("created_at", "id"), ">", is.tuple(after.created_at, after.id)),
    );
  return query.orderBy("created_at").orderBy("id").limit(productsAtOnce).execute();
}

/** Sets how much of a day's quota a product has used, replacing any other count. */
export async function setDailyUsage(db: Kysely<Tables>, productId: string, day: number, used: number) {
  await db
    .insertInto("daily_usage")
    .values({ product_id: productId, day, used, last_granted: 0, daily_limit: null })
    .onConflict((conflict) => conflict.columns(["product_id", "day"]).doUpdateSet({ used }))
    .execute();
}
