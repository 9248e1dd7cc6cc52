import { Box } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { useProducts } from "../../session/products.ts";
import { ChipList } from "../../ui/filters.tsx";
import { licensesRoute, useFilterChange } from "./list-route.ts";
import { type FilterName, filterNames, type LicenseSearch } from "./search.ts";

/** The active filters, each with a button to remove it. */
export function FilterChips() {
  const { t } = useTranslation("licenses");
  const search = licensesRoute.useSearch();
  const change = useFilterChange();
  const words = useFilterWords(search);
  const active = filterNames.filter((name) => search[name] !== undefined);
  return (
    <Box mb={active.length === 0 ? 0 : "sm"}>
      <ChipList
        label={t("filters.active")}
        names={active}
        textOf={words}
        removeLabel={(filter) => t("filters.remove", { filter })}
        onRemove={(name) => change({ [name]: undefined })}
        clearLabel={t("filters.clear")}
        onClear={() => change(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
      />
    </Box>
  );
}

function useFilterWords(search: LicenseSearch): (name: FilterName) => string {
  const { t } = useTranslation("licenses");
  const may = useMay();
  const organization = useOrganization();
  const products = useProducts();
  const customer = useQuery({
    ...ask("getCustomer", {
      params: { organization_id: organization.id, customer_id: search.customer_id ?? "" },
    }),
    enabled: search.customer_id !== undefined && may("customers:view", "customers:manage"),
  });
  return (name) => {
    switch (name) {
      case "status":
        return t(`licenseStatus.${search.status}`, { ns: "everywhere" });
      case "product_id":
        return products.data?.find(({ id }) => id === search.product_id)?.name ?? t("filters.product_id");
      case "customer_id":
        return t("chips.customer", {
          name: customer.data?.email ?? customer.data?.name ?? customer.data?.discord_id ?? "…",
        });
      case "expires_within_days":
        return t("chips.expiresWithin", { count: search.expires_within_days ?? 0 });
      case "never_used":
        return t(search.never_used ? "chips.neverUsed" : "chips.used");
      case "min_ips":
        return t("chips.minIps", { count: search.min_ips ?? 0 });
      case "tag":
        return t("chips.tag", { tag: search.tag });
      case "has_notes":
        return t(search.has_notes ? "chips.hasNotes" : "chips.noNotes");
    }
  };
}
