import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { productRoute } from "../products/frame/product-route.ts";

export const versionRoutes = [
  createRoute({
    getParentRoute: () => productRoute,
    path: "/versions",
    component: lazyRouteComponent(() => import("./versions-tab.tsx"), "VersionsTab"),
  }),
] as const;
