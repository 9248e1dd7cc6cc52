import { type ContractOf, type Route, routesIn } from "../api/route.ts";
import * as accessTokens from "./access-tokens.ts";
import * as account from "./account.ts";
import * as admin from "./admin.ts";
import * as adminMail from "./admin-mail.ts";
import * as adminOrganizations from "./admin-organizations.ts";
import * as adminUsers from "./admin-users.ts";
import * as analytics from "./analytics.ts";
import * as announcements from "./announcements.ts";
import * as auditLog from "./audit-log.ts";
import * as billing from "./billing.ts";
import * as branding from "./branding.ts";
import * as connection from "./connection.ts";
import * as customerErasure from "./customer-erasure.ts";
import * as customers from "./customers.ts";
import * as downloads from "./downloads.ts";
import * as events from "./events.ts";
import * as explain from "./explain.ts";
import * as invitations from "./invitations.ts";
import * as ipBlocks from "./ip-blocks.ts";
import * as ips from "./ips.ts";
import * as licenseActions from "./license-actions.ts";
import * as licenseFiles from "./license-files.ts";
import * as licenses from "./licenses.ts";
import * as members from "./members.ts";
import * as organizations from "./organizations.ts";
import * as overview from "./overview.ts";
import * as plans from "./plans.ts";
import * as productKeys from "./product-keys.ts";
import * as products from "./products.ts";
import * as requests from "./requests.ts";
import * as roles from "./roles.ts";
import * as sandbox from "./sandbox.ts";
import * as shadow from "./shadow.ts";
import * as transfers from "./transfers.ts";
import * as usage from "./usage.ts";
import * as versions from "./versions.ts";
import * as webhookDeliveries from "./webhook-deliveries.ts";
import * as webhooks from "./webhooks.ts";

/** In the order of the reference. */
const modules = [
  accessTokens,
  account,
  admin,
  adminMail,
  adminOrganizations,
  adminUsers,
  analytics,
  announcements,
  billing,
  plans,
  usage,
  auditLog,
  branding,
  connection,
  customerErasure,
  customers,
  downloads,
  events,
  explain,
  invitations,
  ipBlocks,
  ips,
  licenseFiles,
  licenseActions,
  licenses,
  members,
  organizations,
  overview,
  productKeys,
  products,
  requests,
  roles,
  shadow,
  sandbox,
  transfers,
  versions,
  webhooks,
  webhookDeliveries,
] as const;

/**
 * Every route of the management API. The reference is generated from this list, and a test fails if it differs from the
 * server's routes.
 */
export const contractRoutes: readonly Route[] = modules.flatMap(routesIn);

/** For clients that call a route by its ID. */
export type ManageContract = ContractOf<typeof modules>;
