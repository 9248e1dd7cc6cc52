import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { ProductDownloadRow } from "../../tables/products.ts";

/** In the order in which customers see them. */
export const downloadsOf = prepared((db, productId: string) =>
  db.selectFrom("product_downloads").selectAll().where("product_id", "=", productId).orderBy("position"),
).all;

export async function replaceDownloads(
  db: Database,
  productId: string,
  rows: readonly ProductDownloadRow[],
): Promise<void> {
  await db.deleteFrom("product_downloads").where("product_id", "=", productId).execute();
  if (rows.length > 0) await db.insertInto("product_downloads").values(rows).execute();
}
