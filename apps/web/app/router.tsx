import { createRouter } from "@tanstack/react-router";
import { accessTokenRoutes } from "../features/access-tokens/routes.tsx";
import { accountRoutes } from "../features/account/routes.tsx";
import { adminRoutes } from "../features/admin/routes.tsx";
import { analyticsRoutes } from "../features/analytics/routes.tsx";
import { auditLogRoutes } from "../features/audit-log/routes.tsx";
import { billingRoutes } from "../features/billing/routes.tsx";
import { brandingRoutes } from "../features/branding/routes.tsx";
import { customerRoutes } from "../features/customers/routes.tsx";
import { authLayoutRoutes, identityRoutes } from "../features/identity/routes.tsx";
import { ipBlockRoutes } from "../features/ip-blocks/routes.tsx";
import { ipRoutes } from "../features/ips/routes.tsx";
import { licenseFileRoutes } from "../features/license-files/routes.tsx";
import { licenseRoutes } from "../features/licenses/routes.tsx";
import { memberRoutes } from "../features/members/routes.tsx";
import { organizationSettingsRoutes } from "../features/organizations/routes.tsx";
import { overviewRoutes } from "../features/overview/routes.tsx";
import { productRoutes } from "../features/products/routes.tsx";
import { requestRoutes } from "../features/requests/routes.tsx";
import { roleRoutes } from "../features/roles/routes.tsx";
import { transferRoutes } from "../features/transfers/routes.tsx";
import { usageRoutes } from "../features/usage/routes.tsx";
import { webhookRoutes } from "../features/webhooks/routes.tsx";
import {
  accountRoute,
  adminRoute,
  authLayoutRoute,
  notFoundRoute,
  organizationRoute,
  rootRoute,
  signedInRoute,
} from "./base-routes.tsx";
import { BrokenPage } from "./broken-page.tsx";
import { MissingPage } from "./missing-page.tsx";
import { Waiting } from "./waiting.tsx";

const tree = rootRoute.addChildren([
  authLayoutRoute.addChildren([...authLayoutRoutes]),
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
    accountRoute.addChildren([...accountRoutes]),
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
