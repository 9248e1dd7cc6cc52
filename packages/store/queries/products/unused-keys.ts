import type { Database } from "../../store.ts";

/** Products with active keys that have not been used since then and have not been reported. */
export async function productsWithUnusedKeys(
  db: Database,
  { nowMs, unusedSinceMs, limit }: { nowMs: number; unusedSinceMs: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom("product_api_keys as k")
    .innerJoin("products as p", "p.id", "k.product_id")
    .innerJoin("organizations as o", "o.id", "p.organization_id")
    .select("k.product_id")
    .distinct()
    .where("k.unused_notified_at", "is", null)
    .where((is) => is.or([is("k.expires_at", "is", null), is("k.expires_at", ">", nowMs)]))
    .where((is) => is(is.fn.coalesce("k.last_used_at", "k.created_at"), "<=", unusedSinceMs))
    .where("p.deleted_at", "is", null)
    .where("o.deleted_at", "is", null)
    .where("o.delete_after", "is", null)
    .where("o.suspended_at", "is", null)
    .where("o.billing_state", "!=", "suspended")
    .limit(limit)
    .execute();
  return rows.map((row) => row.product_id);
}

/**
 * Marks those keys of a product as reported, and returns those that were not before. The caller sends the email about
 * them.
 */
export async function takeUnusedKeys(
  db: Database,
  productId: string,
  { nowMs, unusedSinceMs }: { nowMs: number; unusedSinceMs: number },
) {
  return db
    .updateTable("product_api_keys")
    .set({ unused_notified_at: nowMs })
    .where("product_id", "=", productId)
    .where("unused_notified_at", "is", null)
    .where((is) => is.or([is("expires_at", "is", null), is("expires_at", ">", nowMs)]))
    .where((is) => is(is.fn.coalesce("last_used_at", "created_at"), "<=", unusedSinceMs))
    .returning(["public_id", "name", "created_at"])
    .execute();
}
