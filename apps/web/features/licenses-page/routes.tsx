import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { type Deed, deeds } from "./deed.ts";

const licenseRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/licenses/$licenseId",
  validateSearch: (search: Record<string, unknown>): { do?: Deed | undefined } => ({
    do: deeds.find((deed) => deed === search.do),
  }),
  component: lazyRouteComponent(() => import("./license-page.tsx"), "LicensePage"),
});

export const licensePageRoutes = [licenseRoute] as const;
