import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { historyLengths, type UsageSearch } from "./search.ts";

export const usageRoutes = [
  createRoute({
    getParentRoute: () => organizationRoute,
    path: "/usage",
    validateSearch: (search: Record<string, unknown>): UsageSearch => ({
      days: historyLengths.find((days) => days === search.days),
      product: typeof search.product === "string" ? search.product : undefined,
    }),
    component: lazyRouteComponent(() => import("./usage-page.tsx"), "UsagePage"),
  }),
] as const;
