import { useQuery } from "@tanstack/react-query";
import type { Answer } from "../../../api/client.ts";
import { ask } from "../../../api/queries.ts";
import { useMay } from "../../../session/current-organization.ts";

export type License = Answer<"getLicense">;
export type Product = Answer<"getProduct">;

/** The product of a license, or null without permission. */
export function useProductOf(license: License): Product | null {
  const may = useMay();
  const { data } = useQuery({
    ...ask("getProduct", { params: { product_id: license.product_id } }),
    enabled: may("products:view", "products:manage", "products:rotate_key"),
  });
  return data ?? null;
}
