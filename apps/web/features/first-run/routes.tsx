import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { authLayoutRoute } from "../../app/base-routes.tsx";

export const firstRunRoutes = [
  createRoute({
    getParentRoute: () => authLayoutRoute,
    path: "/setup",
    validateSearch: (search: Record<string, unknown>): { token?: string | undefined } => ({
      token: typeof search.token === "string" ? search.token : undefined,
    }),
    component: lazyRouteComponent(() => import("./setup-page.tsx"), "SetupPage"),
  }),
] as const;
