import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/go-link.tsx";
import type { Product } from "./frame/use-product.ts";

/** The number of licenses of a product, as a link to them. */
export function LicenseCount({ product, slug }: { product: Product; slug: string }) {
  const { t, i18n } = useTranslation("products");
  const found = useQuery({
    ...ask("listProductLicenses", {
      params: { product_id: product.id },
      query: { limit: 1, count: "true" },
    }),
    staleTime: 60_000,
  });
  if (found.isPending) return <Skeleton height={14} width={32} display="inline-block" />;
  if (found.data?.total === undefined) return "–";
  const number = new Intl.NumberFormat(i18n.language).format(found.data.total);
  return (
    <GoLink
      to={paths.licenses(slug, { product_id: product.id })}
      className="figures"
      inherit
      aria-label={t("licensesOf", { count: found.data.total, number, name: product.name })}
    >
      {number}
    </GoLink>
  );
}
