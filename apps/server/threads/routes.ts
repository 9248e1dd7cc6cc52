import type { BoundRoute } from "../api/context.ts";
import { accessTokenRoutes } from "../features/access-tokens/routes.ts";
import { adminRoutes } from "../features/admin/routes.ts";
import { analyticsRoutes } from "../features/analytics/routes.ts";
import { announcementRoutes } from "../features/announcements/routes.ts";
import { auditLogRoutes } from "../features/audit-log/routes.ts";
import { billingRoutes } from "../features/billing/routes.ts";
import { brandingRoutes, portalBrandingRoutes } from "../features/branding/routes.ts";
import { customerExportRoutes } from "../features/customer-export/routes.ts";
import { customerRoutes } from "../features/customers/routes.ts";
import { connectionRoutes } from "../features/doctor/routes.ts";
import { eventRoutes } from "../features/events/routes.ts";
import { explainRoutes } from "../features/explain/routes.ts";
import { accountRoutes } from "../features/identity/account/routes.ts";
import { impersonationRoutes } from "../features/impersonations/routes.ts";
import { invitationRoutes } from "../features/invitations/routes.ts";
import { ipBlockRoutes } from "../features/ip-blocks/routes.ts";
import { ipRoutes } from "../features/ips/routes.ts";
import { licenseFileRoutes } from "../features/license-files/routes.ts";
import { licenseRoutes } from "../features/licenses/routes.ts";
import { memberRoutes } from "../features/members/routes.ts";
import { organizationExportRoutes } from "../features/organization-export/routes.ts";
import { organizationRoutes } from "../features/organizations/routes.ts";
import { overviewRoutes } from "../features/overview/routes.ts";
import { planRoutes } from "../features/plans/routes.ts";
import { portalAccountRoutes } from "../features/portal/account-routes.ts";
import { portalLicenseRoutes } from "../features/portal/licenses.ts";
import { portalSignInRoutes } from "../features/portal/sign-in-routes.ts";
import { productKeyRoutes } from "../features/products/key-routes.ts";
import { customResponseRoutes } from "../features/products/preview.ts";
import { downloadRoutes, productRoutes } from "../features/products/routes.ts";
import { requestRoutes } from "../features/requests/routes.ts";
import { roleRoutes } from "../features/roles/routes.ts";
import { sandboxRoutes } from "../features/sandbox/routes.ts";
import { settingsRoutes } from "../features/settings/routes.ts";
import { shadowRoutes } from "../features/shadow/routes.ts";
import { portalTransferRoutes } from "../features/transfers/portal-routes.ts";
import { transferRoutes } from "../features/transfers/routes.ts";
import { usageRoutes } from "../features/usage/routes.ts";
import { versionRoutes } from "../features/versions/routes.ts";
import { webhookRoutes } from "../features/webhooks/api/routes.ts";

/** Every route of the management API. */
export const manageRoutes: readonly BoundRoute[] = [
  ...accessTokenRoutes,
  ...accountRoutes,
  ...adminRoutes,
  ...analyticsRoutes,
  ...announcementRoutes,
  ...auditLogRoutes,
  ...billingRoutes,
  ...brandingRoutes,
  ...connectionRoutes,
  ...impersonationRoutes,
  ...invitationRoutes,
  ...licenseRoutes,
  ...memberRoutes,
  ...roleRoutes,
  ...sandboxRoutes,
  ...settingsRoutes,
  ...shadowRoutes,
  ...transferRoutes,
  ...licenseFileRoutes,
  ...organizationRoutes,
  ...organizationExportRoutes,
  ...overviewRoutes,
  ...planRoutes,
  ...productRoutes,
  ...requestRoutes,
  ...usageRoutes,
  ...versionRoutes,
  ...customResponseRoutes,
  ...productKeyRoutes,
  ...downloadRoutes,
  ...ipRoutes,
  ...ipBlockRoutes,
  ...customerRoutes,
  ...customerExportRoutes,
  ...eventRoutes,
  ...explainRoutes,
  ...webhookRoutes,
];

/** Every route of the customer portal's API. */
export const portalRoutes: readonly BoundRoute[] = [
  ...portalSignInRoutes,
  ...portalAccountRoutes,
  ...portalLicenseRoutes,
  ...portalTransferRoutes,
  ...portalBrandingRoutes,
];
