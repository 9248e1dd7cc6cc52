import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";

export const brandingRoutes = [
  createRoute({
    getParentRoute: () => organizationRoute,
    path: "/settings/portal",
    component: lazyRouteComponent(() => import("./branding-page.tsx"), "BrandingPage"),
  }),
] as const;
