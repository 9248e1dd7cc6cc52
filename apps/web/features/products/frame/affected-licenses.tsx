import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../../api/queries.ts";
import { useMay } from "../../../session/current-organization.ts";
import type { Product } from "./use-product.ts";

type Status = "active" | "expired";

/** How many licenses a change affects, counted by the server. */
export function AffectedLicenses({
  product,
  words,
  statuses = product.expiry_enforcement ? ["active"] : ["active", "expired"],
}: {
  product: Product;
  words: "rejects" | "affects" | "keeps";
  /** The statuses that validate accepts. */
  statuses?: readonly Status[];
}) {
  const { t, i18n } = useTranslation("products");
  const may = useMay();
  const mayCount = may("licenses:view");
  const active = useCount(product, "active", mayCount && statuses.includes("active"));
  const expired = useCount(product, "expired", mayCount && statuses.includes("expired"));
  const counts = [active, expired].filter(({ isEnabled }) => isEnabled);
  if (!mayCount || counts.some(({ error }) => error !== null)) return <Line>{t(`count.${words}All`)}</Line>;
  if (counts.some(({ total }) => total === undefined)) return <Skeleton height={18} aria-hidden="true" />;
  const count = counts.reduce((sum, { total = 0 }) => sum + total, 0);
  const isExact = counts.every((one) => one.isExact);
  const number = `${count.toLocaleString(i18n.language)}${isExact ? "" : "+"}`;
  return <Line>{count === 0 ? t(`count.${words}None`) : t(`count.${words}`, { count, number })}</Line>;
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
