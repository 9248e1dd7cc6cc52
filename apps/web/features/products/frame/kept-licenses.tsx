import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../../api/queries.ts";
import { useMay } from "../../../session/current-organization.ts";
import type { Product } from "./use-product.ts";

type Status = "active" | "expired";

/** How many licenses a change leaves working, counted by the server: those with a status that validate accepts. */
export function KeptLicenses({ product }: { product: Product }) {
  const { t, i18n } = useTranslation("products");
  const mayCount = useMay()("licenses:view");
  const active = useCount(product, "active", mayCount);
  const expired = useCount(product, "expired", mayCount && !product.expiry_enforcement);
  const counts = [active, expired].filter(({ isEnabled }) => isEnabled);
  if (!mayCount || counts.some(({ error }) => error !== null)) return <Line>{t("count.keepsAll")}</Line>;
  if (counts.some(({ total }) => total === undefined)) return <Skeleton height={18} aria-hidden="true" />;
  const count = counts.reduce((sum, { total = 0 }) => sum + total, 0);
  const isExact = counts.every((one) => one.isExact);
  const number = `${count.toLocaleString(i18n.language)}${isExact ? "" : "+"}`;
  return <Line>{count === 0 ? t("count.keepsNone") : t("count.keeps", { count, number })}</Line>;
}

function Line({ children }: { children: string }) {
  return (
    <Text fw={600} role="status">
      {children}
    </Text>
  );
}

function useCount(product: Product, status: Status, isEnabled: boolean) {
  const { data, error } = useQuery({
    ...ask("listProductLicenses", {
      params: { product_id: product.id },
      query: { status, limit: 1, count: "true" },
    }),
    enabled: isEnabled,
    staleTime: 0,
  });
  return { isEnabled, error, total: data?.total, isExact: data?.total_is_exact !== false };
}
