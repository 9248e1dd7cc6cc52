import { useTranslation } from "react-i18next";
import { useProducts } from "../../session/products.ts";
import { ChipList } from "../../ui/chip-list.tsx";
import { type FilterName, filterNames, noFilters } from "./filters.ts";
import { useLicenseKey } from "./license-filter.tsx";
import { useFilterChange } from "./requests-route.ts";
import type { RequestFilters } from "./search.ts";

const milliseconds = { style: "unit", unit: "millisecond" } as const;

/** Shown elsewhere on the page. */
const visible: readonly FilterName[] = ["refused"];

/** The active filters, each with a button to remove it. */
export function FilterChips({ filters }: { filters: RequestFilters }) {
  const { t } = useTranslation("requests");
  const change = useFilterChange();
  const words = useFilterWords(filters);
  const active = filterNames.filter((name) => filters[name] !== undefined && !visible.includes(name));
  return (
    <ChipList
      label={t("filters.active")}
      names={active}
      textOf={words}
      removeLabel={(filter) => t("filters.remove", { filter })}
      onRemove={(name) => change({ [name]: undefined })}
      clearLabel={t("filters.clear")}
      onClear={() => change(noFilters)}
    />
  );
}

function useFilterWords(filters: RequestFilters): (name: FilterName) => string {
  const { t, i18n } = useTranslation("requests");
  const products = useProducts();
  const key = useLicenseKey(filters.license_id);
  return (name) => {
    switch (name) {
      case "refused":
        return t(filters.refused ? "filters.refused" : "filters.accepted");
      case "outcome":
        return (filters.outcome ?? []).map((outcome) => t(`outcomes.${outcome}`)).join(", ");
      case "product_id":
        return products.data?.find(({ id }) => id === filters.product_id)?.name ?? t("columns.product");
      case "license_id":
        return t("chips.license", { key: key ?? filters.license_id });
      case "ip":
        return t("chips.ip", { ip: filters.ip });
      case "version":
        return t("chips.version", { version: filters.version });
      case "device_id":
        return t("chips.device", { device: filters.device_id });
      case "problem":
        return t("chips.problem", { problem: filters.problem });
      case "min_duration_ms":
        return t("chips.duration", {
          duration: new Intl.NumberFormat(i18n.language, {
            ...milliseconds,
            maximumFractionDigits: 3,
          }).format(filters.min_duration_ms ?? 0),
        });
      case "endpoint":
        return t(`endpoints.${filters.endpoint}`);
      case "sandbox":
        return t(filters.sandbox ? "chips.onlySandbox" : "chips.noSandbox");
    }
  };
}
