import type { VersionState } from "@countersign/domain/versions/catalog";
import type { Kysely } from "kysely";
import type { Bulk } from "../../store.ts";
import type { ProductVersionRow } from "../../tables/products.ts";
import type { Tables } from "../../tables.ts";

/** Writes a version record and increments the revision, so that every node sees the change in its next batch. */
export async function setVersion(
  db: Kysely<Tables>,
  productId: string,
  record: { version: string; state: VersionState },
  nowMs: number,
) {
  if (record.state === "latest") {
    // Only one record is the latest; the previous one becomes an ordinary allowed version.
    await db
      .updateTable("product_versions")
      .set({ state: "allowed" })
      .where("product_id", "=", productId)
      .where("state", "=", "latest")
      .execute();
  }
  await db
    .insertInto("product_versions")
    .values({ product_id: productId, version: record.version, state: record.state, created_at: nowMs })
    .onConflict((conflict) =>
      conflict.columns(["product_id", "version"]).doUpdateSet({ state: record.state }),
    )
    .execute();
  await raiseRevision(db, productId);
}

export async function removeVersion(db: Kysely<Tables>, productId: string, version: string) {
  await db
    .deleteFrom("product_versions")
    .where("product_id", "=", productId)
    .where("version", "=", version)
    .execute();
  await raiseRevision(db, productId);
}

/** All of them, unordered: no database knows version precedence. */
export async function versionsOf(db: Kysely<Tables>, productId: string) {
  return db.selectFrom("product_versions").selectAll().where("product_id", "=", productId).execute();
}

/** Replaces all records with these. One that stays keeps the time it was added. */
export async function replaceVersions(
  db: Kysely<Tables>,
  bulk: Bulk,
  productId: string,
  records: readonly ProductVersionRow[],
) {
  await db.deleteFrom("product_versions").where("product_id", "=", productId).execute();
  await bulk.insert(db, "product_versions", records);
  await raiseRevision(db, productId);
}

async function raiseRevision(db: Kysely<Tables>, productId: string) {
  await db
    .updateTable("products")
    .set((row) => ({ versions_revision: row("versions_revision", "+", 1) }))
    .where("id", "=", productId)
    .execute();
}
