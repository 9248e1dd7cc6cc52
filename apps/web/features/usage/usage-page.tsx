import { Skeleton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { askPages, flat } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { NoProduct } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { ProductsToday } from "./products-today.tsx";
import { Totals } from "./totals.tsx";
import classes from "./usage.module.css";

// Below what most users look for, and with many elements.
const History = lazy(() => import("./history.tsx").then((file) => ({ default: file.History })));

/** How much of its limits an organization uses. */
export function UsagePage() {
  const { t } = useTranslation("usage");
  const { id, slug } = useOrganization();
  const may = useMay();
  const products = useInfiniteQuery({
    ...askPages("listProductUsage", { params: { organization_id: id }, query: { limit: 50 } }),
    refetchInterval: 60_000,
  });
  const seesTotals = may("billing:view", "billing:manage", "analytics:view", "organization:manage");
  const isEmpty = products.data !== undefined && flat(products.data).length === 0 && !products.hasNextPage;
  return (
    <Page title={t("everywhere:places.usage")} lead={t("lead")}>
      <div className={classes.sections}>
        {isEmpty ? (
          <NoProduct to={may("products:manage") ? paths.newProduct(slug) : null}>{t("empty")}</NoProduct>
        ) : (
          <>
            <ProductsToday products={products} />
            <Suspense fallback={<Skeleton height={280} radius="lg" />}>
              <History />
            </Suspense>
          </>
        )}
        {seesTotals && <Totals />}
      </div>
    </Page>
  );
}
