import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";

export const organizationSettingsRoutes = [
  createRoute({
    getParentRoute: () => organizationRoute,
    path: "/settings",
    component: lazyRouteComponent(() => import("./settings-page.tsx"), "SettingsPage"),
  }),
] as const;
