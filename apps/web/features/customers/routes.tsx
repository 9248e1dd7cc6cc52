import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";

export interface CustomersSearch {
  q?: string | undefined;
  /** Opens the form for a new one. */
  new?: true | undefined;
}

export const customersRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/customers",
  validateSearch: (search: Record<string, unknown>): CustomersSearch => ({
    // A Discord id alone is read as a number.
    q: search.q === undefined || search.q === "" ? undefined : String(search.q).slice(0, 100),
    new: search.new === true || undefined,
  }),
  component: lazyRouteComponent(() => import("./customers-page.tsx"), "CustomersPage"),
});

export const customerRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/customers/$customerId",
  validateSearch: (search: Record<string, unknown>): { edit?: true | undefined } => ({
    edit: search.edit === true || undefined,
  }),
  component: lazyRouteComponent(() => import("./customer-page.tsx"), "CustomerPage"),
});

export const customerRoutes = [customersRoute, customerRoute] as const;
