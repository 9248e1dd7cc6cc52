import { useQuery } from "@tanstack/react-query";
import type { Answer, RouteId } from "../../../api/client.ts";
import { ask } from "../../../api/queries.ts";
import { useMay } from "../../../session/current-organization.ts";

export type License = Answer<"getLicense">;
export type Product = Answer<"getProduct">;

/** Queries to refetch after a license was changed. */
export const affectedQueries: readonly RouteId[] = [
  "getLicense",
  "listLicenses",
  "listProductLicenses",
  "listLicenseIps",
  "getLicenseEmail",
  "listLicenseEvents",
  "listAuditLog",
  "getCustomer",
  "listCustomers",
  "getIp",
  "listIpLicenses",
  "listTransfers",
];

/** The product of a license, or null without permission. */
export function useProductOf(license: License): Product | null {
  const may = useMay();
  const { data } = useQuery({
    ...ask("getProduct", { params: { product_id: license.product_id } }),
    enabled: may("products:view", "products:manage", "products:rotate_key"),
  });
  return data ?? null;
}
