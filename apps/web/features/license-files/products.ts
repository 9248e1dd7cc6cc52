import { useQuery } from "@tanstack/react-query";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";

/** The path for creating a product, or null without permission. */
export function useNewProductPath(): string | null {
  const { slug } = useOrganization();
  return useMay()("products:manage") ? `/o/${slug}/products/new` : null;
}

/** Products that licenses can be imported into. Not loaded without permission to view products. */
export function useImportProducts() {
  const organization = useOrganization();
  const may = useMay();
  return useQuery({
    ...ask("listProducts", { params: { organization_id: organization.id }, query: { limit: 200 } }),
    enabled: may("products:view", "products:manage", "products:rotate_key"),
    select: ({ data }) =>
      data.filter(({ status, closed_for_sale: isClosed }) => status !== "archived" && !isClosed),
  });
}
