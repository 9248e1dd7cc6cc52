import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { accountRoute } from "../../app/base-routes.tsx";

const frameRoute = createRoute({
  getParentRoute: () => accountRoute,
  id: "account-layout",
  component: lazyRouteComponent(() => import("./account-layout.tsx"), "AccountLayout"),
});

const securityRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/security",
  validateSearch: (search: Record<string, unknown>): { error?: string; linked?: true } => ({
    ...(typeof search.error === "string" ? { error: search.error } : {}),
    ...(search.linked === true ? { linked: true } : {}),
  }),
  component: lazyRouteComponent(() => import("./security-page.tsx"), "SecurityPage"),
});

const profileRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./profile-page.tsx"), "ProfilePage"),
});

const sessionsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/sessions",
  component: lazyRouteComponent(() => import("./sessions-page.tsx"), "SessionsPage"),
});

const myTokensRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/access-tokens",
  component: lazyRouteComponent(() => import("../access-tokens/my-tokens-page.tsx"), "MyTokensPage"),
});

const newMyTokenRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/access-tokens/new",
  component: lazyRouteComponent(() => import("../access-tokens/my-tokens-page.tsx"), "NewMyTokenPage"),
});

// Routes created inside `addChildren` would have the type any, and so would the whole tree.
export const accountRoutes = [
  frameRoute.addChildren([profileRoute, securityRoute, sessionsRoute, myTokensRoute, newMyTokenRoute]),
] as const;
