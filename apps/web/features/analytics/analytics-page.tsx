import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Empty } from "../../ui/empty.tsx";
import { GoLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { useProduct } from "../products/frame/use-product.ts";
import classes from "./analytics.module.css";
import { Countries, LicenseFlow, NoCountries } from "./breakdowns.tsx";
import { OutcomeChart, ShareChart, UniqueChart, VersionChart } from "./charts.tsx";
import { Controls } from "./controls.tsx";
import { Figures, Quota } from "./figures.tsx";
import { RefusedLicenses } from "./refused-licenses.tsx";
import type { AnalyticsSearch } from "./search.ts";
import { Suspects } from "./suspects.tsx";
import { useAnalytics } from "./use-analytics.ts";

const analyticsRoute = getRouteApi("/signed-in/o/$organization/analytics");

/** How an organization's licenses are used. */
export function AnalyticsPage() {
  const { t } = useTranslation("analytics");
  const search = analyticsRoute.useSearch();
  const navigate = analyticsRoute.useNavigate();
  return (
    <Page title={t("everywhere:places.analytics")} lead={t("lead")}>
      <AnalyticsView
        search={search}
        onChange={(changes) =>
          void navigate({
            search: (before) => ({ ...before, ...changes }),
            replace: true,
            resetScroll: false,
          })
        }
        productId={search.product}
        choosesProduct
      />
    </Page>
  );
}

interface AnalyticsViewProps {
  readonly search: AnalyticsSearch;
  readonly onChange: (changes: AnalyticsSearch) => void;
  readonly productId: string | undefined;
  /** Whether the product can be chosen here. */
  readonly choosesProduct: boolean;
}

/** The figures, charts and lists of an organization or a product. */
function AnalyticsView({ search, onChange, productId, choosesProduct }: AnalyticsViewProps) {
  const { t } = useTranslation("analytics");
  const { slug } = useOrganization();
  const opensProducts = useMay()("products:view", "products:manage", "products:rotate_key");
  const state = useAnalytics(search, productId);
  const { data, error } = state;
  const isEmpty = data !== undefined && data.totals.requests === 0 && data.previous.requests === 0;
  return (
    <div className={classes.view} aria-busy={state.isRefreshing || undefined}>
      <Controls
        search={search}
        onChange={onChange}
        state={state}
        choosesProduct={choosesProduct}
        interval={data?.interval}
      />
      <ProblemAlert error={error} />
      {isEmpty ? (
        <Empty
          icon="analytics"
          title={t("empty.title")}
          action={
            opensProducts && (
              <GoLink to={productId === undefined ? paths.products(slug) : paths.integrate(slug, productId)}>
                {t(productId === undefined ? "empty.products" : "empty.integrate")}
              </GoLink>
            )
          }
        >
          {t("empty.words")}
        </Empty>
      ) : (
        (data !== undefined || error === null) && (
          <div className={classes.grid} data-stale={state.isRefreshing || undefined}>
            <Figures state={state} />
            <div className={classes.whole}>
              <OutcomeChart state={state} />
            </div>
            <ShareChart state={state} />
            <UniqueChart state={state} />
            <div className={classes.whole}>
              <VersionChart state={state} productId={productId} choosesProduct={choosesProduct} />
            </div>
            <LicenseFlow state={state} />
            {data?.has_countries === false ? (
              <div className={classes.column}>
                <Quota state={state} />
                <NoCountries />
              </div>
            ) : (
              <>
                <Countries state={state} />
                <div className={classes.whole}>
                  <Quota state={state} />
                </div>
              </>
            )}
          </div>
        )
      )}
      {!isEmpty && (
        <>
          <RefusedLicenses state={state} />
          <Suspects state={state} />
        </>
      )}
    </div>
  );
}

const tabRoute = getRouteApi("/signed-in/o/$organization/products/$productId/analytics");

/** How one product's licenses are used. */
export function AnalyticsTab() {
  const product = useProduct();
  const search = tabRoute.useSearch();
  const navigate = tabRoute.useNavigate();
  return (
    <AnalyticsView
      search={search}
      onChange={(changes) =>
        void navigate({ search: (before) => ({ ...before, ...changes }), replace: true, resetScroll: false })
      }
      productId={product.id}
      choosesProduct={false}
    />
  );
}
