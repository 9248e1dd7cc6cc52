import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { accountFrameRoute } from "../account/routes.tsx";

export const accessTokenRoutes = [
  createRoute({
    getParentRoute: () => organizationRoute,
    path: "/access-tokens",
    component: lazyRouteComponent(() => import("./token-pages.tsx"), "OrganizationTokensPage"),
  }),
  createRoute({
    getParentRoute: () => organizationRoute,
    path: "/access-tokens/new",
    component: lazyRouteComponent(() => import("./token-pages.tsx"), "NewOrganizationTokenPage"),
  }),
] as const;

/** Those of the account. */
export const myTokenRoutes = [
  createRoute({
    getParentRoute: () => accountFrameRoute,
    path: "/access-tokens",
    component: lazyRouteComponent(() => import("./token-pages.tsx"), "MyTokensPage"),
  }),
  createRoute({
    getParentRoute: () => accountFrameRoute,
    path: "/access-tokens/new",
    component: lazyRouteComponent(() => import("./token-pages.tsx"), "NewMyTokenPage"),
  }),
] as const;
