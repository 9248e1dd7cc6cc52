import type { Dashboard } from "../support/dashboard.ts";
import { until } from "../support/until.ts";
import { signInToPortal } from "./requested-transfer.ts";

/** An example of each resource. */
export interface Examples {
  readonly slug: string;
  readonly productId: string;
  readonly licenseId: string;
  readonly customerId: string;
  readonly webhookId: string;
  readonly roleId: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly emailId: string;
  readonly transferId: string;
  readonly requestId: string;
}

interface Shown {
  readonly where: (examples: Examples) => string;
  /** For users who are not signed in. */
  readonly isOutside?: boolean;
}

const out = (where: string): Shown => ({ where: () => where, isOutside: true });
const at = (where: string): Shown => ({ where: () => where });
const here = (where: (examples: Examples) => string): Shown => ({
  where: (examples) => `/o/${examples.slug}${where(examples)}`,
});
const product = (tab: string) => here(({ productId }) => `/products/${productId}${tab}`);

/** Every page, by its feature and the path of its route. */
export const pages: Readonly<Record<string, Shown>> = {
  "account /": at("/account"),
  "account /access-tokens": at("/account/access-tokens"),
  "account /access-tokens/new": at("/account/access-tokens/new"),
  "account /security": at("/account/security"),
  "account /sessions": at("/account/sessions"),
  "admin /": at("/admin"),
  "admin /announcements": at("/admin/announcements"),
  "admin /audit-log": at("/admin/audit-log"),
  "admin /ip-blocks": at("/admin/ip-blocks"),
  "admin /email-templates": at("/admin/email-templates"),
  "admin /ips": at("/admin/ips"),
  "admin /ips/$ip": at("/admin/ips/127.0.0.1"),
  "admin /jobs": at("/admin/jobs"),
  "admin /outbox": at("/admin/outbox"),
  "admin /outbox/$id": { where: ({ emailId }) => `/admin/outbox/${emailId}` },
  "admin /organizations": at("/admin/organizations"),
  "admin /organizations/$id": { where: ({ organizationId }) => `/admin/organizations/${organizationId}` },
  "admin /plans": at("/admin/plans"),
  "admin /settings": at("/admin/settings"),
  "admin /users": at("/admin/users"),
  "admin /users/$id": { where: ({ userId }) => `/admin/users/${userId}` },
  "access-tokens /access-tokens": here(() => "/access-tokens"),
  "access-tokens /access-tokens/new": here(() => "/access-tokens/new"),
  "analytics /analytics": here(() => "/analytics"),
  "audit-log /audit-log": here(() => "/audit-log"),
  "billing /settings/billing": here(() => "/settings/billing"),
  "branding /settings/portal": here(() => "/settings/portal"),
  "customers /customers": here(() => "/customers"),
  "customers /customers/$customerId": here(({ customerId }) => `/customers/${customerId}`),
  "identity /": at("/"),
  "identity /account/email": at("/account/email?token=none"),
  "identity /forgot-password": out("/forgot-password"),
  "identity /invitations/$token": out("/invitations/none"),
  "identity /organizations/new": at("/organizations/new"),
  "identity /reset-password": out("/reset-password?token=none"),
  "identity /setup": out("/setup"),
  "identity /sign-in": out("/sign-in"),
  "identity /sign-in/second-factor": out("/sign-in/second-factor"),
  "identity /sign-up": out("/sign-up"),
  "ip-blocks /ip-blocks": here(() => "/ip-blocks"),
  "ips /ips": here(() => "/ips"),
  "ips /ips/$ip": here(() => "/ips/127.0.0.1"),
  "license-files /licenses/import": here(() => "/licenses/import"),
  "licenses /licenses": here(() => "/licenses"),
  "licenses /licenses/new": here(() => "/licenses/new"),
  "licenses /licenses/$licenseId": here(({ licenseId }) => `/licenses/${licenseId}`),
  "members /members": here(() => "/members"),
  "organizations /settings": here(() => "/settings"),
  "overview /": here(() => ""),
  "products /": product(""),
  "products /custom-response": product("/custom-response"),
  "products /danger": product("/danger"),
  "products /integrate": product("/integrate"),
  "products /keys": product("/keys"),
  "products /portal": product("/portal"),
  "products /products": here(() => "/products"),
  "products /products/new": here(() => "/products/new"),
  "requests /requests": here(() => "/requests"),
  "requests /requests/$requestId": here(({ requestId }) => `/requests/${requestId}`),
  "roles /roles": here(() => "/roles"),
  "roles /roles/$role": here(({ roleId }) => `/roles/${roleId}`),
  "roles /roles/new": here(() => "/roles/new"),
  "sandbox /sandbox": product("/sandbox"),
  "shadow /shadow": product("/shadow"),
  "transfers /transfers": here(() => "/transfers"),
  "transfers /transfers/$transferId": here(({ transferId }) => `/transfers/${transferId}`),
  "usage /usage": here(() => "/usage"),
  "versions /versions": product("/versions"),
  "webhooks /webhooks": here(() => "/webhooks"),
  "webhooks /webhooks/$webhook": here(({ webhookId }) => `/webhooks/${webhookId}`),
  "webhooks /webhooks/new": here(() => "/webhooks/new"),
};

/** Whether the page belongs to an organization, and not to the platform, an account or a visitor. */
export function isOfOrganization(name: string): boolean {
  return !/^(account|admin|identity) /.test(name);
}

/** Creates an example of each resource, in a state with content. */
export async function createExamples(dashboard: Dashboard): Promise<Examples> {
  const { organizationId, productId, slug, manage, owner, addLicense, api } = dashboard;
  const organization = `/organizations/${organizationId}`;
  const license = await addLicense({
    customer_email: "carla@example.com",
    customer_name: "Carla",
    is_lifetime: true,
    tags: ["gold"],
    notes: "Paid by card",
  });
  for (const days of [3, 20, 400])
    await addLicense({
      customer_email: `person-${days}@example.com`,
      expires_at: new Date(Date.now() + days * 86_400_000).toISOString(),
    });
  await api.validate({ license_key: license.license_key, version: "2.1.0", device_id: "carla-desktop" });
  const refused = await api.validate({ license_key: "no such key" });
  const requestId = refused.headers.get("x-request-id") ?? "";
  await until("the requests are in the log", async () => {
    const { data } = await manage("GET", `${organization}/requests`);
    return data.length === 2;
  });
  await manage("POST", `${organization}/ip-blocks`, { cidr: "203.0.113.0/24", note: "A bot" });
  await manage("PATCH", `${organization}/branding`, {
    display_name: "Nordlicht Audio",
    accent_color: "#1d4ed8",
    support_email: "help@example.com",
    support_url: "https://example.com/help",
    links: [{ title: "Manual", url: "https://example.com/manual" }],
  });
  await manage("POST", `/products/${productId}/versions`, { version: "2.1.0", state: "latest" });
  await manage("POST", `${organization}/invitations`, {
    email: "bob@example.com",
    role_id: (
      await manage("POST", `${organization}/roles`, { name: "Front desk", permissions: ["licenses:view"] })
    ).id,
  });
  await manage("PATCH", `/products/${productId}`, {
    transfers: "review",
    portal_ip_removals_per_30_days: 2,
    renewal_url: "https://example.com/renew",
  });
  await manage("PUT", `/products/${productId}/downloads`, {
    data: [
      { title: "Windows installer", url: "https://example.com/polaris.exe", min_version: "2.0.0" },
      {
        title: "Handbook",
        url: "https://example.com/handbook.pdf",
        checksum: "5f70bf18a086007016e9".repeat(3),
      },
    ],
  });
  const carla = await signInToPortal(dashboard, "carla@example.com");
  const transfer = await carla.post(`/licenses/${license.id}/transfers`, {
    email: "ben@example.com",
    message: "I no longer need it.\nBen takes over my work.",
  });
  await createPlatformExamples(dashboard);
  const { data: roles } = await manage("GET", `${organization}/roles`);
  const { data: customers } = await manage("GET", `${organization}/customers`);
  const { data: emails } = await manage("GET", "/admin/outbox");
  const webhook = await manage("POST", `${organization}/webhooks`, { url: "https://example.com/hook" });
  return {
    slug,
    productId,
    licenseId: license.id,
    customerId: customers[0].id,
    webhookId: webhook.id,
    roleId: roles[0].id,
    organizationId,
    userId: owner.userId,
    emailId: emails[0].id,
    transferId: transfer.id,
    requestId,
  };
}

/** What platform admins see: announcements, prices, and an organization with limits and an end of its plan. */
async function createPlatformExamples({ manage, organizationId }: Dashboard): Promise<void> {
  const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();
  // Planned, so that it covers no other page.
  await manage("POST", "/admin/announcements", {
    level: "warning",
    message: "Maintenance: the dashboard is read-only for ten minutes.",
    url: "https://status.example.com",
    starts_at: days(3),
    ends_at: days(4),
  });
  await manage("PUT", "/admin/plans/pro", {
    monthly_price: 1_900,
    yearly_price: 19_000,
    trial_days: 14,
    max_members: 10,
  });
  await manage("PATCH", `/admin/organizations/${organizationId}`, {
    plan: "pro",
    plan_note: "Pays by invoice until spring.",
    plan_ends_at: days(120),
    max_products_override: 3,
  });
}
