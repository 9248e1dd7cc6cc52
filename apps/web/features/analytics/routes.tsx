import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { productRoute } from "../products/frame/product-route.ts";
import { analyticsSearch } from "./search.ts";

export const analyticsRoutes = [
  createRoute({
    getParentRoute: () => organizationRoute,
    path: "/analytics",
    validateSearch: analyticsSearch,
    component: lazyRouteComponent(() => import("./analytics-page.tsx"), "AnalyticsPage"),
  }),
] as const;

/** The same for one product. */
export const productAnalyticsRoutes = [
  createRoute({
    getParentRoute: () => productRoute,
    path: "/analytics",
    validateSearch: analyticsSearch,
    component: lazyRouteComponent(() => import("./analytics-page.tsx"), "AnalyticsTab"),
  }),
] as const;
