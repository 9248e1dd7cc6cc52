import type { ProductRow } from "@countersign/store/tables";
import { Problem } from "../../http/manage/problem.ts";

/** Every way to create licenses starts with this check. */
export function checkOpenForSale({ name, closed_for_sale: isClosed }: ProductRow): void {
  if (isClosed === 0) return;
  throw new Problem(
    "conflict",
    `The product "${name}" is closed for sale, so no new licenses can be created. Set closed_for_sale to false first.`,
  );
}
