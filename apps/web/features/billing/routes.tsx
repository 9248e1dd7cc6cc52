import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { type BillingSearch, checkoutResults } from "./search.ts";

export const billingRoutes = [
  createRoute({
    getParentRoute: () => organizationRoute,
    path: "/settings/billing",
    validateSearch: (search: Record<string, unknown>): BillingSearch => ({
      checkout: checkoutResults.find((result) => result === search.checkout),
    }),
    component: lazyRouteComponent(() => import("./billing-page.tsx"), "BillingPage"),
  }),
] as const;
