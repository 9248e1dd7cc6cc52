import { lockedProduct } from "@countersign/store/queries/products/products";
import type { Database } from "@countersign/store/store";
import type { ProductRow } from "@countersign/store/tables/products";
import { Problem } from "../../http/problem.ts";

/** The current row, locked until the transaction ends: what was read before may be outdated. */
export async function currentProduct(db: Database, id: string): Promise<ProductRow> {
  const row = await lockedProduct(db, id);
  if (row === undefined) throw new Problem("product_not_found");
  return row;
}
