import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { ipsSearch } from "./search.ts";

const ipsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/ips",
  validateSearch: ipsSearch,
  component: lazyRouteComponent(() => import("./ips-page.tsx"), "IpsPage"),
});

const ipRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/ips/$ip",
  validateSearch: (search: Record<string, unknown>): { block?: true | undefined } => ({
    block: search.block === true || undefined,
  }),
  component: lazyRouteComponent(() => import("./ip-page.tsx"), "IpPage"),
});

export const ipRoutes = [ipsRoute, ipRoute] as const;
