import { importById } from "@countersign/store/queries/license-files/imports";
import type { Database } from "@countersign/store/store";
import type { ImportRow } from "@countersign/store/tables/license-files";
import type { ProductContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";

/** The import in the path, if it belongs to the product. */
export async function findImport(
  context: ProductContext,
  id: string,
  db: Database = context.store.reads,
): Promise<ImportRow> {
  const row = await importById(db, id);
  if (row === undefined || row.product_id !== context.product.id) throw new Problem("import_not_found");
  return row;
}
