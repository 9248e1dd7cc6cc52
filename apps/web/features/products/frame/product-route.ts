import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { ask, queryClient } from "../../../api/queries.ts";
import { organizationRoute } from "../../../app/base-routes.tsx";

/** One product. Its tabs are child routes, each loaded when opened. */
export const productRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/products/$productId",
  loader: ({ params }) =>
    queryClient.ensureQueryData(ask("getProduct", { params: { product_id: params.productId } })),
  errorComponent: lazyRouteComponent(() => import("./product-page.tsx"), "ProductTrouble"),
  component: lazyRouteComponent(() => import("./product-page.tsx"), "ProductPage"),
});
