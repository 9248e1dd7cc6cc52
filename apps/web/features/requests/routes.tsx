import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { readSearch } from "./search.ts";

const requestsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/requests",
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import("./requests-page.tsx"), "RequestsPage"),
});

const requestRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/requests/$requestId",
  component: lazyRouteComponent(() => import("./request-page.tsx"), "RequestPage"),
});

export const requestRoutes = [requestsRoute, requestRoute] as const;
