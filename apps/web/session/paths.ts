import { linkOptions, type RegisteredRouter } from "@tanstack/react-router";

/** The search parameters of a page, as its route checks them. */
type Search<Path extends keyof RegisteredRouter["routesByPath"]> =
  RegisteredRouter["routesByPath"][Path]["types"]["fullSearchSchemaInput"];

/**
 * Every page that another one links to, as links and `navigate` take it. A page that does not exist, and a missing
 * parameter, do not compile. `organization` is a slug.
 */
export const paths = {
  signIn: (search: Search<"/sign-in"> = {}) => linkOptions({ to: "/sign-in", search }),
  newOrganization: () => linkOptions({ to: "/organizations/new" }),
  account: () => linkOptions({ to: "/account" }),
  security: () => linkOptions({ to: "/account/security" }),
  sessions: () => linkOptions({ to: "/account/sessions" }),
  myAccessTokens: () => linkOptions({ to: "/account/access-tokens" }),
  newMyAccessToken: () => linkOptions({ to: "/account/access-tokens/new" }),

  // Those of an organization.
  overview: (organization: string, search: Search<"/o/$organization"> = {}) =>
    linkOptions({ to: "/o/$organization", params: { organization }, search }),
  licenses: (organization: string, search: Search<"/o/$organization/licenses"> = {}) =>
    linkOptions({ to: "/o/$organization/licenses", params: { organization }, search }),
  newLicense: (organization: string, search: Search<"/o/$organization/licenses/new"> = {}) =>
    linkOptions({ to: "/o/$organization/licenses/new", params: { organization }, search }),
  importLicenses: (organization: string, search: Search<"/o/$organization/licenses/import"> = {}) =>
    linkOptions({ to: "/o/$organization/licenses/import", params: { organization }, search }),
  license: (
    organization: string,
    licenseId: string,
    search: Search<"/o/$organization/licenses/$licenseId"> = {},
  ) =>
    linkOptions({ to: "/o/$organization/licenses/$licenseId", params: { organization, licenseId }, search }),
  customers: (organization: string, search: Search<"/o/$organization/customers"> = {}) =>
    linkOptions({ to: "/o/$organization/customers", params: { organization }, search }),
  customer: (organization: string, customerId: string) =>
    linkOptions({ to: "/o/$organization/customers/$customerId", params: { organization, customerId } }),
  transfers: (organization: string) =>
    linkOptions({ to: "/o/$organization/transfers", params: { organization } }),
  transfer: (organization: string, transferId: string) =>
    linkOptions({ to: "/o/$organization/transfers/$transferId", params: { organization, transferId } }),
  products: (organization: string, search: Search<"/o/$organization/products"> = {}) =>
    linkOptions({ to: "/o/$organization/products", params: { organization }, search }),
  newProduct: (organization: string) =>
    linkOptions({ to: "/o/$organization/products/new", params: { organization } }),
  product: (organization: string, productId: string) =>
    linkOptions({ to: "/o/$organization/products/$productId", params: { organization, productId } }),
  productAnalytics: (organization: string, productId: string) =>
    linkOptions({
      to: "/o/$organization/products/$productId/analytics",
      params: { organization, productId },
    }),
  productVersions: (organization: string, productId: string) =>
    linkOptions({ to: "/o/$organization/products/$productId/versions", params: { organization, productId } }),
  customResponse: (
    organization: string,
    productId: string,
    search: Search<"/o/$organization/products/$productId/custom-response"> = {},
  ) =>
    linkOptions({
      to: "/o/$organization/products/$productId/custom-response",
      params: { organization, productId },
      search,
    }),
  productPortal: (organization: string, productId: string) =>
    linkOptions({ to: "/o/$organization/products/$productId/portal", params: { organization, productId } }),
  productKeys: (organization: string, productId: string) =>
    linkOptions({ to: "/o/$organization/products/$productId/keys", params: { organization, productId } }),
  integrate: (
    organization: string,
    productId: string,
    search: Search<"/o/$organization/products/$productId/integrate"> = {},
  ) =>
    linkOptions({
      to: "/o/$organization/products/$productId/integrate",
      params: { organization, productId },
      search,
    }),
  sandbox: (organization: string, productId: string) =>
    linkOptions({ to: "/o/$organization/products/$productId/sandbox", params: { organization, productId } }),
  shadow: (
    organization: string,
    productId: string,
    search: Search<"/o/$organization/products/$productId/shadow"> = {},
  ) =>
    linkOptions({
      to: "/o/$organization/products/$productId/shadow",
      params: { organization, productId },
      search,
    }),
  productDanger: (organization: string, productId: string) =>
    linkOptions({ to: "/o/$organization/products/$productId/danger", params: { organization, productId } }),
  ips: (organization: string, search: Search<"/o/$organization/ips"> = {}) =>
    linkOptions({ to: "/o/$organization/ips", params: { organization }, search }),
  ip: (organization: string, ip: string) =>
    linkOptions({ to: "/o/$organization/ips/$ip", params: { organization, ip } }),
  ipBlocks: (organization: string, search: Search<"/o/$organization/ip-blocks"> = {}) =>
    linkOptions({ to: "/o/$organization/ip-blocks", params: { organization }, search }),
  requests: (organization: string, search: Search<"/o/$organization/requests"> = {}) =>
    linkOptions({ to: "/o/$organization/requests", params: { organization }, search }),
  request: (organization: string, requestId: string) =>
    linkOptions({ to: "/o/$organization/requests/$requestId", params: { organization, requestId } }),
  webhooks: (organization: string) =>
    linkOptions({ to: "/o/$organization/webhooks", params: { organization } }),
  newWebhook: (organization: string) =>
    linkOptions({ to: "/o/$organization/webhooks/new", params: { organization } }),
  webhook: (organization: string, webhook: string) =>
    linkOptions({ to: "/o/$organization/webhooks/$webhook", params: { organization, webhook } }),
  analytics: (organization: string, search: Search<"/o/$organization/analytics"> = {}) =>
    linkOptions({ to: "/o/$organization/analytics", params: { organization }, search }),
  usage: (organization: string) => linkOptions({ to: "/o/$organization/usage", params: { organization } }),
  auditLog: (organization: string, search: Search<"/o/$organization/audit-log"> = {}) =>
    linkOptions({ to: "/o/$organization/audit-log", params: { organization }, search }),
  members: (organization: string, search: Search<"/o/$organization/members"> = {}) =>
    linkOptions({ to: "/o/$organization/members", params: { organization }, search }),
  roles: (organization: string) => linkOptions({ to: "/o/$organization/roles", params: { organization } }),
  newRole: (organization: string, search: Search<"/o/$organization/roles/new"> = {}) =>
    linkOptions({ to: "/o/$organization/roles/new", params: { organization }, search }),
  role: (organization: string, role: string) =>
    linkOptions({ to: "/o/$organization/roles/$role", params: { organization, role } }),
  accessTokens: (organization: string) =>
    linkOptions({ to: "/o/$organization/access-tokens", params: { organization } }),
  newAccessToken: (organization: string) =>
    linkOptions({ to: "/o/$organization/access-tokens/new", params: { organization } }),
  settings: (organization: string) =>
    linkOptions({ to: "/o/$organization/settings", params: { organization } }),
  billing: (organization: string) =>
    linkOptions({ to: "/o/$organization/settings/billing", params: { organization } }),
  portalSettings: (organization: string) =>
    linkOptions({ to: "/o/$organization/settings/portal", params: { organization } }),

  // Those of the platform.
  platform: () => linkOptions({ to: "/admin" }),
  jobs: () => linkOptions({ to: "/admin/jobs" }),
  platformOrganizations: (search: Search<"/admin/organizations"> = {}) =>
    linkOptions({ to: "/admin/organizations", search }),
  platformOrganization: (id: string) => linkOptions({ to: "/admin/organizations/$id", params: { id } }),
  users: () => linkOptions({ to: "/admin/users" }),
  user: (id: string) => linkOptions({ to: "/admin/users/$id", params: { id } }),
  plans: (search: Search<"/admin/plans"> = {}) => linkOptions({ to: "/admin/plans", search }),
  platformIps: (search: Search<"/admin/ips"> = {}) => linkOptions({ to: "/admin/ips", search }),
  platformIp: (ip: string) => linkOptions({ to: "/admin/ips/$ip", params: { ip } }),
  platformIpBlocks: () => linkOptions({ to: "/admin/ip-blocks" }),
  announcements: () => linkOptions({ to: "/admin/announcements" }),
  outbox: () => linkOptions({ to: "/admin/outbox" }),
  email: (id: string) => linkOptions({ to: "/admin/outbox/$id", params: { id } }),
  emailTemplates: (search: Search<"/admin/email-templates"> = {}) =>
    linkOptions({ to: "/admin/email-templates", search }),
  platformAuditLog: (search: Search<"/admin/audit-log"> = {}) =>
    linkOptions({ to: "/admin/audit-log", search }),
  platformSettings: () => linkOptions({ to: "/admin/settings" }),
};
