import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { shownStates, type TransfersSearch } from "./search.ts";

const transfersRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/transfers",
  validateSearch: (search: Record<string, unknown>): TransfersSearch => ({
    state: shownStates.find((state) => state === search.state && state !== "pending"),
  }),
  component: lazyRouteComponent(() => import("./transfers-page.tsx"), "TransfersPage"),
});

const transferRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/transfers/$transferId",
  component: lazyRouteComponent(() => import("./transfer-page.tsx"), "TransferPage"),
});

export const transferRoutes = [transfersRoute, transferRoute] as const;
