import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { productRoute } from "../products/frame/product-route.ts";

export const sandboxRoutes = [
  createRoute({
    getParentRoute: () => productRoute,
    path: "/sandbox",
    component: lazyRouteComponent(() => import("./sandbox-tab.tsx"), "SandboxTab"),
  }),
] as const;
