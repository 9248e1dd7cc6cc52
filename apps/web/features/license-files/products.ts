import { useQuery } from "@tanstack/react-query";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import type { PageLink } from "../../ui/page-link.ts";

/** The path for creating a product, or null without permission. */
export function useNewProductPath(): PageLink | null {
  const { slug } = useOrganization();
  return useMay()("products:manage") ? paths.newProduct(slug) : null;
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
