import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { type Action, actions } from "./detail/action.ts";
import { readSearch, wordOf } from "./search.ts";

const licensesRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/licenses",
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import("./list-page.tsx"), "LicensesPage"),
});

const newLicenseRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/licenses/new",
  /** The customer and product, if the linking page knows them. */
  validateSearch: (search: Record<string, unknown>): NewLicenseSearch => ({
    product_id: wordOf(search.product_id),
    customer_email: wordOf(search.customer_email),
    customer_discord_id: wordOf(search.customer_discord_id),
  }),
  component: lazyRouteComponent(() => import("./new-page.tsx"), "NewLicensePage"),
});

const licenseRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/licenses/$licenseId",
  validateSearch: (search: Record<string, unknown>): LicensePageSearch => ({
    do: actions.find((action) => action === search.do),
    ip: wordOf(search.ip),
  }),
  component: lazyRouteComponent(() => import("./detail/license-page.tsx"), "LicensePage"),
});

interface LicensePageSearch {
  do?: Action | undefined;
  /** An IP address to register. */
  ip?: string | undefined;
}

interface NewLicenseSearch {
  product_id?: string | undefined;
  customer_email?: string | undefined;
  customer_discord_id?: string | undefined;
}

export const licenseRoutes = [licensesRoute, newLicenseRoute, licenseRoute] as const;
