import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";

export const accessTokenRoutes = [
  createRoute({
    getParentRoute: () => organizationRoute,
    path: "/access-tokens",
    component: lazyRouteComponent(() => import("./organization-tokens-page.tsx"), "OrganizationTokensPage"),
  }),
  createRoute({
    getParentRoute: () => organizationRoute,
    path: "/access-tokens/new",
    component: lazyRouteComponent(() => import("./organization-tokens-page.tsx"), "NewOrganizationTokenPage"),
  }),
] as const;
