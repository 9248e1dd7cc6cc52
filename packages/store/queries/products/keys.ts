import type { Database } from "../../store.ts";

export async function apiKeyOf(db: Database, productId: string, publicId: string) {
  return db
    .selectFrom("product_api_keys")
    .selectAll()
    .where("public_id", "=", publicId)
    .where("product_id", "=", productId)
    .executeTakeFirst();
}

/** Shortens every key that would work longer to this expiry; none is extended. */
export async function endApiKeys(db: Database, productId: string, atMs: number) {
  await db
    .updateTable("product_api_keys")
    .set({ expires_at: atMs })
    .where("product_id", "=", productId)
    .where((is) => is.or([is("expires_at", "is", null), is("expires_at", ">", atMs)]))
    .execute();
}

/** The active keys of a product at this time. */
export async function liveApiKeys(db: Database, productId: string, atMs: number) {
  return db
    .selectFrom("product_api_keys")
    .selectAll()
    .where("product_id", "=", productId)
    .where((is) => is.or([is("expires_at", "is", null), is("expires_at", ">", atMs)]))
    .execute();
}

export async function updateApiKey(
  db: Database,
  publicId: string,
  changes: { readonly name?: string; readonly expires_at?: number | null },
) {
  await db.updateTable("product_api_keys").set(changes).where("public_id", "=", publicId).execute();
}

/** Never moves the time back. */
export async function markApiKeysUsed(db: Database, publicIds: readonly string[], atMs: number) {
  if (publicIds.length === 0) return;
  await db
    .updateTable("product_api_keys")
    .set({ last_used_at: atMs })
    .where("public_id", "in", publicIds)
    .where((is) => is.or([is("last_used_at", "is", null), is("last_used_at", "<", atMs)]))
    .execute();
}

export async function endApiKey(db: Database, publicId: string, atMs: number) {
  await db
    .updateTable("product_api_keys")
    .set({ expires_at: atMs })
    .where("public_id", "=", publicId)
    .execute();
}

/** The key that signs at this time, and pending ones, in the order in which they start signing. */
export async function signingKeysFrom(db: Database, productId: string, atMs: number) {
  const keys = await db
    .selectFrom("product_signing_keys")
    .selectAll()
    .where("product_id", "=", productId)
    .orderBy("active_from")
    .execute();
  const current = keys.findLastIndex((key) => key.active_from <= atMs);
  return keys.slice(Math.max(0, current));
}

export async function addSigningKey(
  db: Database,
  productId: string,
  key: { readonly id: string; readonly sealedSecret: string; readonly activeFromMs: number },
  nowMs: number,
) {
  await db
    .insertInto("product_signing_keys")
    .values({
      id: key.id,
      product_id: productId,
      sealed_secret: key.sealedSecret,
      active_from: key.activeFromMs,
      created_at: nowMs,
    })
    .execute();
}

/** Those that have not signed yet. */
export async function removeUpcomingSigningKeys(db: Database, productId: string, afterMs: number) {
  await db
    .deleteFrom("product_signing_keys")
    .where("product_id", "=", productId)
    .where("active_from", ">", afterMs)
    .execute();
}

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

/** How many active keys of an organization's products have not been used since then: the products with the most first. */
export async function unusedKeyCounts(
  db: Database,
  organizationId: string,
  { nowMs, unusedSinceMs, limit }: { nowMs: number; unusedSinceMs: number; limit: number },
) {
  const rows = await db
    .selectFrom("products as p")
    .innerJoin("product_api_keys as k", "k.product_id", "p.id")
    .select((is) => ["p.id", "p.name", is.fn.countAll().as("count")])
    .where("p.organization_id", "=", organizationId)
    .where("p.deleted_at", "is", null)
    .where("p.status", "=", "active")
    .where((is) => is.or([is("k.expires_at", "is", null), is("k.expires_at", ">", nowMs)]))
    .where((is) => is(is.fn.coalesce("k.last_used_at", "k.created_at"), "<=", unusedSinceMs))
    .groupBy(["p.id", "p.name"])
    .orderBy("count", "desc")
    .orderBy("p.id")
    .limit(limit)
    .execute();
  return rows.map(({ id, name, count }) => ({ id, name, count: Number(count) }));
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
