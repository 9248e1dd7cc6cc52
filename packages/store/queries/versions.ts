import type { VersionState } from "@countersign/domain/versions/catalog";
import type { Kysely } from "kysely";
import type { Bulk } from "../bulk.ts";
import type { ProductVersionRow, Tables } from "../tables.ts";

/** Writes a version record and raises the revision with it, so that every node sees the change at its next batch. */
export async function setVersion(
  db: Kysely<Tables>,
  productId: string,
  record: { version: string; state: VersionState },
  nowMs: number,
) {
  if (record.state === "latest") {
    // Only one record is the latest; the one that was becomes an ordinary allowed one.
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

/** All of them, in no order: versions are sorted by what they mean, which no database knows. */
export async function versionsOf(db: Kysely<Tables>, productId: string) {
  return db.selectFrom("product_versions").selectAll().where("product_id", "=", productId).execute();
}

/** Makes the records exactly these. One that stays keeps the time it was added. */
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
