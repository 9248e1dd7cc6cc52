import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { type Platform, platforms } from "../../ui/platforms.ts";
import { productRoute } from "./frame/product-route.ts";

const statuses = ["active", "disabled", "archived"] as const;
type Status = (typeof statuses)[number];

const one = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((known) => known === value);
const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

const productsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/products",
  validateSearch: (search: Record<string, unknown>): { status?: Status | undefined } => ({
    status: one(statuses, search.status),
  }),
  component: lazyRouteComponent(() => import("./products-page.tsx"), "ProductsPage"),
});

const newProductRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/products/new",
  component: lazyRouteComponent(() => import("./new-product-page.tsx"), "NewProductPage"),
});

const settingsRoute = createRoute({
  getParentRoute: () => productRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./settings-tab.tsx"), "SettingsTab"),
});

const customResponseRoute = createRoute({
  getParentRoute: () => productRoute,
  path: "/custom-response",
  /** The license that fills in the preview. */
  validateSearch: (search: Record<string, unknown>): { license?: string | undefined } => ({
    license: text(search.license),
  }),
  component: lazyRouteComponent(() => import("./custom-response-tab.tsx"), "CustomResponseTab"),
});

const portalRoute = createRoute({
  getParentRoute: () => productRoute,
  path: "/portal",
  component: lazyRouteComponent(() => import("./portal-tab.tsx"), "PortalTab"),
});

const keysRoute = createRoute({
  getParentRoute: () => productRoute,
  path: "/keys",
  component: lazyRouteComponent(() => import("./keys-tab.tsx"), "KeysTab"),
});

const integrateRoute = createRoute({
  getParentRoute: () => productRoute,
  path: "/integrate",
  validateSearch: (search: Record<string, unknown>): { with?: Platform | undefined } => ({
    with: one(Object.keys(platforms) as Platform[], search.with),
  }),
  component: lazyRouteComponent(() => import("./integrate-tab.tsx"), "IntegrateTab"),
});

const dangerRoute = createRoute({
  getParentRoute: () => productRoute,
  path: "/danger",
  component: lazyRouteComponent(() => import("./danger-tab.tsx"), "DangerTab"),
});

export const productRoutes = [productsRoute, newProductRoute] as const;

export const productTabRoutes = [
  settingsRoute,
  customResponseRoute,
  portalRoute,
  keysRoute,
  integrateRoute,
  dangerRoute,
] as const;
