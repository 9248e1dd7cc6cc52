import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";

const ipBlocksRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/ip-blocks",
  /** `add` opens the form, with this IP address or network, or with an empty field. */
  validateSearch: (search: Record<string, unknown>): { add?: string | undefined } => ({
    add: typeof search.add === "string" ? search.add : undefined,
  }),
  component: lazyRouteComponent(() => import("./ip-blocks-page.tsx"), "IpBlocksPage"),
});

export const ipBlockRoutes = [ipBlocksRoute] as const;
