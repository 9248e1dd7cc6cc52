import type { Dashboard } from "../support/dashboard.ts";
import { signedInWith } from "../support/portal-client.ts";
import { until } from "../support/until.ts";

/** An example of each resource, by what precedes its parameter in a path. */
export type Examples = Awaited<ReturnType<typeof createExamples>>;

/** Without a space or a hyphen, so that no line can break. */
const long = (start: string, length: number) => start.padEnd(length, "Abcdefghij");

/** Creates an example of each resource, in a state with content. Each has the longest possible name, in one word. */
export async function createExamples(dashboard: Dashboard) {
  const { organizationId, productId, slug, manage, owner, addLicense, api, fixture } = dashboard;
  const organization = `/organizations/${organizationId}`;
  const emailOf = (name: string) => `${long(name, 190)}@example.com`.toLowerCase();
  const note = long("Note", 200);
  const license = await addLicense({
    customer_email: emailOf("customer"),
    customer_name: long("Customer", 100),
    is_lifetime: true,
    tags: [long("tag", 50), long("label", 50), "short"],
    notes: note,
  });
  for (const days of [3, 20, 400])
    await addLicense({
      customer_email: `person-${days}@example.com`,
      expires_at: new Date(Date.now() + days * 86_400_000).toISOString(),
    });
  const another = await addLicense({ license_key: long("KEY", 64), customer_email: emailOf("another") });
  await api.validate({ license_key: license.license_key, version: "2.1.0", device_id: "carla-desktop" });
  const refused = await api.validate({ license_key: "no such key" });
  await until("the requests are in the log", async () => {
    const { data } = await manage("GET", `${organization}/requests`);
    return data.length === 2;
  });
  await manage("PATCH", organization, { name: long("Organization", 100) });
  for (const cidr of ["203.0.113.0/24", "2001:db8:1111:2222:3333:4444:5555:6666"])
    await manage("POST", `${organization}/ip-blocks`, { cidr, note });
  await manage("PATCH", `${organization}/branding`, {
    display_name: "Nordlicht Audio",
    accent_color: "#1d4ed8",
    support_email: "help@example.com",
    support_url: "https://example.com/help",
    links: [{ title: "Manual", url: "https://example.com/manual" }],
  });
  const role = { name: long("Role", 100), permissions: ["licenses:view"] };
  const { id: roleId } = await manage("POST", `${organization}/roles`, role);
  await manage("POST", `${organization}/invitations`, { email: "bob@example.com", role_id: roleId });
  const webhook = await manage("POST", `${organization}/webhooks`, {
    url: `https://example.com/${long("hook", 200)}`,
    description: long("Description", 100),
  });
  await manage("POST", `/products/${productId}/versions`, { version: "2.1.0", state: "latest" });
  await manage("PATCH", `/products/${productId}`, {
    name: long("Product", 100),
    transfers: "review",
    portal_ip_removals_per_30_days: 2,
    renewal_url: "https://example.com/renew",
  });
  const file = { url: `https://example.com/${long("file", 1_000)}`, checksum: long("checksum", 200) };
  const download = { title: long("Download", 100), min_version: "1.0.0", ...file };
  await manage("PUT", `/products/${productId}/downloads`, { data: [download] });
  // One with long names, and one that waits for a decision on the page of its license.
  const carla = await signedInWith(dashboard.fixture, { emails: [emailOf("customer")] });
  const waiting = { email: "ben@example.com", message: "I need it\nno more." };
  await carla.post(`/licenses/${license.id}/transfers`, waiting);
  const customer = await signedInWith(dashboard.fixture, { emails: [emailOf("another")] });
  const longest = { email: emailOf("recipient"), message: long("Message", 1_000) };
  const { body: transfer } = await customer.post(`/licenses/${another.id}/transfers`, longest);
  await createPlatformExamples(dashboard);
  const { data: customers } = await manage("GET", `${organization}/customers?q=customer`);
  const { data: emails } = await manage("GET", "/admin/outbox");
  await fixture.change("users", { id: owner.userId }, { name: long("Person", 100) });
  return {
    o: slug,
    products: productId,
    licenses: String(license.id),
    customers: String(customers[0].id),
    webhooks: String(webhook.id),
    roles: String(roleId),
    organizations: organizationId,
    users: owner.userId,
    outbox: String(emails[0].id),
    transfers: String(transfer.id),
    requests: refused.headers.get("x-request-id") ?? "",
    ips: "127.0.0.1",
    invitations: "none",
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
