import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { productRoute } from "../products/frame/product-route.ts";
import { shadowSearch } from "./search.ts";

export const shadowRoutes = [
  createRoute({
    getParentRoute: () => productRoute,
    path: "/shadow",
    validateSearch: shadowSearch,
    component: lazyRouteComponent(() => import("./shadow-tab.tsx"), "ShadowTab"),
  }),
] as const;
