import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { accountRoute } from "../../app/base-routes.tsx";

/** The frame of the pages of an account. Its pages are child routes. */
export const accountFrameRoute = createRoute({
  getParentRoute: () => accountRoute,
  id: "account-layout",
  component: lazyRouteComponent(() => import("./account-layout.tsx"), "AccountLayout"),
});

const securityRoute = createRoute({
  getParentRoute: () => accountFrameRoute,
  path: "/security",
  validateSearch: (search: Record<string, unknown>): { error?: string; linked?: true } => ({
    ...(typeof search.error === "string" ? { error: search.error } : {}),
    ...(search.linked === true ? { linked: true } : {}),
  }),
  component: lazyRouteComponent(() => import("./security-page.tsx"), "SecurityPage"),
});

const profileRoute = createRoute({
  getParentRoute: () => accountFrameRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./profile-page.tsx"), "ProfilePage"),
});

const sessionsRoute = createRoute({
  getParentRoute: () => accountFrameRoute,
  path: "/sessions",
  component: lazyRouteComponent(() => import("./sessions-page.tsx"), "SessionsPage"),
});

export const accountRoutes = [profileRoute, securityRoute, sessionsRoute] as const;
