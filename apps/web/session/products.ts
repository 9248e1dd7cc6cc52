import { useQuery } from "@tanstack/react-query";
import type { Item } from "../api/client.ts";
import { ask } from "../api/queries.ts";
import type { PageLink } from "../ui/links.tsx";
import { useMay, useOrganization } from "./current-organization.ts";
import { paths } from "./paths.ts";

export type Product = Item<"listProducts">;

/** The path for creating a product, or null without permission. */
export function useNewProductPath(): PageLink | null {
  const { slug } = useOrganization();
  return useMay()("products:manage") ? paths.newProduct(slug) : null;
}

/** The organization's products. Not loaded without permission to view products. */
export function useProducts() {
  const organization = useOrganization();
  const may = useMay();
  return useQuery({
    ...ask("listProducts", { params: { organization_id: organization.id }, query: { limit: 200 } }),
    enabled: may("products:view", "products:manage", "products:rotate_key"),
    select: ({ data }) => data,
  });
}

/** Whether new licenses can be created for a product. */
export function isForSale({ status, closed_for_sale: isClosed }: Product): boolean {
  return status !== "archived" && !isClosed;
}
