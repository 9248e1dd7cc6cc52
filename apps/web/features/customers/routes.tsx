import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import type { CustomersSearch } from "./search.ts";

const customersRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/customers",
  validateSearch: (search: Record<string, unknown>): CustomersSearch => ({
    // The router parses a Discord ID as a number.
    q: search.q === undefined || search.q === "" ? undefined : String(search.q).slice(0, 100),
    new: search.new === true || undefined,
  }),
  component: lazyRouteComponent(() => import("./customers-page.tsx"), "CustomersPage"),
});

const customerRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/customers/$customerId",
  validateSearch: (search: Record<string, unknown>): { edit?: true | undefined } => ({
    edit: search.edit === true || undefined,
  }),
  component: lazyRouteComponent(() => import("./customer-page.tsx"), "CustomerPage"),
});

export const customerRoutes = [customersRoute, customerRoute] as const;
