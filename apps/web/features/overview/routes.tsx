import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";

export const overviewRoutes = [
  createRoute({
    getParentRoute: () => organizationRoute,
    path: "/",
    component: lazyRouteComponent(() => import("./overview-page.tsx"), "OverviewPage"),
  }),
] as const;
