import { getRouteApi } from "@tanstack/react-router";
import { useProduct } from "../products/frame/use-product.ts";
import { AnalyticsView } from "./analytics-view.tsx";

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
