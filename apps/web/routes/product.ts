import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { ask, queryClient } from "../api/queries.ts";
import { analyticsSearch } from "../features/analytics/search.ts";
import { shadowSearch } from "../features/shadow/search.ts";
import { type Platform, platforms } from "../ui/platforms.ts";
import { organizationRoute } from "./organization.ts";
import { oneOf, pagesBelow, text } from "./pages.ts";

/** One product. Its tabs are pages below it, each loaded when opened. */
const productRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/products/$productId",
  loader: ({ params }) =>
    queryClient.ensureQueryData(ask("getProduct", { params: { product_id: params.productId } })),
  errorComponent: lazyRouteComponent(
    () => import("../features/products/frame/product-page.tsx"),
    "ProductTrouble",
  ),
  component: lazyRouteComponent(() => import("../features/products/frame/product-page.tsx"), "ProductPage"),
});

const tab = pagesBelow(productRoute);

const tabs = [
  tab("/", () => import("../features/products/settings-tab.tsx"), "SettingsTab"),
  /** `license` fills in the preview. */
  tab("/custom-response", () => import("../features/products/custom-response-tab.tsx"), "CustomResponseTab", {
    license: text,
  }),
  tab("/portal", () => import("../features/products/portal-tab.tsx"), "PortalTab"),
  tab("/keys", () => import("../features/products/keys-tab.tsx"), "KeysTab"),
  tab("/integrate", () => import("../features/products/integrate-tab.tsx"), "IntegrateTab", {
    with: oneOf(Object.keys(platforms) as Platform[]),
  }),
  tab("/danger", () => import("../features/products/danger-tab.tsx"), "DangerTab"),
  tab(
    "/analytics",
    () => import("../features/analytics/analytics-page.tsx"),
    "AnalyticsTab",
    analyticsSearch,
  ),
  tab("/versions", () => import("../features/versions/versions-tab.tsx"), "VersionsTab"),
  tab("/shadow", () => import("../features/shadow/shadow-tab.tsx"), "ShadowTab", shadowSearch),
  tab("/sandbox", () => import("../features/sandbox/sandbox-tab.tsx"), "SandboxTab"),
] as const;

export const productRoutes = productRoute.addChildren(tabs);
