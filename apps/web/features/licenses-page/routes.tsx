import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";

/** What can be open on the page of a license, so that it can be sent as a link. */
export const deeds = ["edit", "renew", "revoke", "rotate", "transfer", "reset", "delete"] as const;
export type Deed = (typeof deeds)[number];

export const licenseRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/licenses/$licenseId",
  validateSearch: (search: Record<string, unknown>): { do?: Deed | undefined } => ({
    do: deeds.find((deed) => deed === search.do),
  }),
  component: lazyRouteComponent(() => import("./license-page.tsx"), "LicensePage"),
});

export const licensePageRoutes = [licenseRoute] as const;
