import { afterAll, beforeAll } from "bun:test";
import { browserTests, handBackPages, type Look, openPage, phone } from "./chromium.ts";
import { openDashboard } from "./dashboard.ts";
import type { TestDatabase } from "./databases.ts";
import { startFakeDiscord } from "./fake-discord.ts";
import { freePort } from "./free-port.ts";
import { newestCode } from "./portal-client.ts";
import { addPortalPerson } from "./portal-rows.ts";
import { afterAllFiles } from "./shared-resources.ts";

const homeIp = "203.0.113.24";
export const oldIp = "198.51.100.7";
export const thirdIp = "192.0.2.99";

/** A server with the built portal, a seller with branding, and a customer with licenses. */
export type PortalPages = Awaited<ReturnType<typeof openPortalPages>>;

/** The server of the tests in which the portal has no other host than the dashboard. */
let shared: Promise<PortalPages> | undefined;

async function openSharedPages(make: () => Promise<TestDatabase>): Promise<PortalPages> {
  if (shared === undefined) {
    const opened = openPortalPages(make, false);
    shared = opened;
    afterAllFiles.push(async () => (await opened).close());
  }
  return { ...(await shared), close: async () => {} };
}

/** Tests of the customer portal in a browser. */
export function portalTests(
  title: string,
  tests: (portal: PortalPages) => void,
  { hasOwnHost = false } = {},
): void {
  browserTests(title, (make) => {
    // Complete before the first test.
    const portal = {} as PortalPages;
    beforeAll(async () => {
      Object.assign(portal, await (hasOwnHost ? openPortalPages(make, true) : openSharedPages(make)));
    });
    tests(portal);
    afterAll(async () => {
      await handBackPages("file");
      await portal.close();
    });
  });
}

async function openPortalPages(make: () => Promise<TestDatabase>, hasOwnHost: boolean) {
  const discord = await startFakeDiscord();
  const port = String(await freePort());
  const ownHost = `http://localhost:${port}`;
  const dashboard = await openDashboard(make, {
    why: "people sign in with Discord, and emails wait in the outbox",
    environment: {
      ...discord.settings,
      PORT: port,
      ...(hasOwnHost ? { COUNTERSIGN_PORTAL_URL: ownHost } : {}),
      COUNTERSIGN_SMTP_URL: "smtp://127.0.0.1:1",
      COUNTERSIGN_MAIL_FROM: "license@example.com",
    },
  });
  const { fixture, manage, organizationId, productId, api } = dashboard;
  const email = "mara@studio.example";
  await manage("PATCH", `/organizations/${organizationId}/branding`, {
    display_name: "Nordlicht <b>Software</b>",
    accent_color: "#7a1fa2",
    support_email: "help@nordlicht.example",
    support_url: "https://support.nordlicht.example/help",
    links: [{ title: "Community forum", url: "https://forum.nordlicht.example/" }],
  });
  await manage("PATCH", `/products/${productId}`, {
    portal_ip_removals_per_30_days: 3,
    portal_key_rotation: true,
    transfers: "review",
    renewal_url: "https://shop.nordlicht.example/renew",
  });
  const download = { title: "Polaris for Windows", url: "https://cdn.nordlicht.example/polaris.exe" };
  const checksum = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
  await manage("PUT", `/products/${productId}/downloads`, { data: [{ ...download, checksum }] });
  const viewed = await manage("POST", `/organizations/${organizationId}/products`, { name: "Atlas" });

  const sellOf = async (product: string, to: string, more: object): Promise<{ id: string; key: string }> => {
    const license = { customer_email: to, ...more };
    const { data } = await manage("POST", `/products/${product}/licenses`, { licenses: [license] });
    return { id: data[0].id, key: data[0].license_key };
  };
  const validate = async (license_key: string, ip: string): Promise<unknown> =>
    (await api.validate({ license_key }, { "x-forwarded-for": ip })).body.status;

  const settings = { max_ips: 2, ip_system_enabled: true, expires_in_seconds: 9.5 * 86_400 };
  const fullLicense = await sellOf(productId, email, settings);
  for (const ip of [oldIp, homeIp, thirdIp]) await validate(fullLicense.key, ip);

  const portalUrl = hasOwnHost ? ownHost : fixture.url;
  /** A new page on a phone, unless another look is given. */
  const visitor = async (look: Look = phone) => {
    const page = await openPage(look);
    await page.context().setExtraHTTPHeaders({ "x-forwarded-for": homeIp });
    return page;
  };
  return {
    dashboard,
    discord,
    url: hasOwnHost ? ownHost : `${fixture.url}/portal`,
    email,
    /** Both of its IP addresses are registered, and a third was refused. */
    fullLicense,
    /** Lifetime, with a product that offers nothing but viewing. */
    plainLicense: await sellOf(viewed.id, email, { is_lifetime: true }),
    sell: (customerEmail: string, more: object = {}) => sellOf(productId, customerEmail, more),
    /** What validate says to an app at this IP address. */
    validate,
    /** The code in the newest email. */
    code: async (to: string, kind?: "portal_sign_in" | "portal_email") =>
      (await newestCode(fixture.store, to, kind)).code,
    link: async (to: string) => (await newestCode(fixture.store, to)).link,
    visitor,
    /** A page with a signed-in customer. Without a code, because how many are sent is limited. */
    signedIn: async (customer: string, look?: Look) => {
      const page = await visitor(look);
      const { token: value } = await addPortalPerson(fixture.store, { emails: [customer] });
      await page.context().addCookies([{ name: "countersign_portal", value, url: portalUrl }]);
      return page;
    },
    close: async () => {
      await dashboard.close();
      discord.close();
    },
  };
}
