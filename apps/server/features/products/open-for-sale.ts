import type { ProductRow } from "@countersign/store/tables/products";
import { Problem } from "../../http/problem.ts";

/** Every way to create licenses starts with this check. */
export function checkOpenForSale({ name, closed_for_sale: isClosed }: ProductRow): void {
  if (isClosed === 0) return;
  throw new Problem("product_closed_for_sale", { product: name });
}
