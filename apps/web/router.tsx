import { createRouter } from "@tanstack/react-router";
import {
  accountRoute,
  adminRoute,
  authLayoutRoute,
  notFoundRoute,
  organizationRoute,
  rootRoute,
  signedInRoute,
} from "./app/base-routes.tsx";
import { accessTokenRoutes, myTokenRoutes } from "./features/access-tokens/routes.tsx";
import { accountFrameRoute, accountRoutes } from "./features/account/routes.tsx";
import { adminRoutes } from "./features/admin/routes.tsx";
import { analyticsRoutes, productAnalyticsRoutes } from "./features/analytics/routes.tsx";
import { auditLogRoutes } from "./features/audit-log/routes.tsx";
import { billingRoutes } from "./features/billing/routes.tsx";
import { brandingRoutes } from "./features/branding/routes.tsx";
import { customerRoutes } from "./features/customers/routes.tsx";
import { firstRunRoutes } from "./features/first-run/routes.tsx";
import { authLayoutRoutes, identityRoutes } from "./features/identity/routes.tsx";
import { ipBlockRoutes } from "./features/ip-blocks/routes.tsx";
import { ipRoutes } from "./features/ips/routes.tsx";
import { licenseFileRoutes } from "./features/license-files/routes.tsx";
import { licenseRoutes } from "./features/licenses/routes.tsx";
import { memberRoutes } from "./features/members/routes.tsx";
import { organizationSettingsRoutes } from "./features/organizations/routes.tsx";
import { overviewRoutes } from "./features/overview/routes.tsx";
import { productRoute } from "./features/products/frame/product-route.ts";
import { productRoutes, productTabRoutes } from "./features/products/routes.tsx";
import { requestRoutes } from "./features/requests/routes.tsx";
import { roleRoutes } from "./features/roles/routes.tsx";
import { sandboxRoutes } from "./features/sandbox/routes.tsx";
import { shadowRoutes } from "./features/shadow/routes.tsx";
import { transferRoutes } from "./features/transfers/routes.tsx";
import { usageRoutes } from "./features/usage/routes.tsx";
import { versionRoutes } from "./features/versions/routes.tsx";
import { webhookRoutes } from "./features/webhooks/routes.tsx";
import { MissingPage } from "./ui/missing-page.tsx";
import { BrokenPage } from "./ui/page.tsx";
import { Waiting } from "./ui/waiting.tsx";

const tree = rootRoute.addChildren([
  authLayoutRoute.addChildren([...authLayoutRoutes, ...firstRunRoutes]),
  signedInRoute.addChildren([
    ...identityRoutes,
    organizationRoute.addChildren([
      ...overviewRoutes,
      ...customerRoutes,
      ...transferRoutes,
      ...ipBlockRoutes,
      ...ipRoutes,
      ...requestRoutes,
      ...productRoutes,
      productRoute.addChildren([
        ...productTabRoutes,
        ...productAnalyticsRoutes,
        ...versionRoutes,
        ...shadowRoutes,
        ...sandboxRoutes,
      ]),
      ...memberRoutes,
      ...roleRoutes,
      ...accessTokenRoutes,
      ...organizationSettingsRoutes,
      ...brandingRoutes,
      ...billingRoutes,
      ...licenseRoutes,
      ...licenseFileRoutes,
      ...webhookRoutes,
      ...analyticsRoutes,
      ...usageRoutes,
      ...auditLogRoutes,
    ]),
    accountRoute.addChildren([accountFrameRoute.addChildren([...accountRoutes, ...myTokenRoutes])]),
    adminRoute.addChildren([...adminRoutes]),
    notFoundRoute,
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: "intent",
  defaultPendingComponent: Waiting,
  // Inside the shell, so that users can go to another page.
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: MissingPage,
  defaultPendingMs: 150,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
