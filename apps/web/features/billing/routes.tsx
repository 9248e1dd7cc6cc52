import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";

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

const checkoutResults = ["done", "cancelled"] as const;

interface BillingSearch {
  /** How the user came back from the payment page. */
  readonly checkout?: (typeof checkoutResults)[number] | undefined;
}
