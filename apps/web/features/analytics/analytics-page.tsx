import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Page } from "../../ui/page.tsx";
import { AnalyticsView } from "./analytics-view.tsx";

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
