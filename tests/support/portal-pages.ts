import { afterAll, beforeAll } from "bun:test";
import type { Store } from "@countersign/store/store";
import type { Page } from "playwright-core";
import { browserTests, handBackPages, type Look, openPage, phone } from "./chromium.ts";
import { type Dashboard, openDashboard } from "./dashboard.ts";
import type { TestDatabase } from "./databases.ts";
import { type FakeDiscord, startFakeDiscord } from "./fake-discord.ts";
import { freePort } from "./free-port.ts";
import { newestCode } from "./portal-client.ts";
import { addPortalPerson, addSessionOf } from "./portal-rows.ts";
import { afterAllFiles } from "./shared-resources.ts";

/** A server with the built portal, a seller with branding, and a customer with licenses. */
export interface PortalPages {
  readonly dashboard: Dashboard;
  readonly discord: FakeDiscord;
  /** The URL of the portal. */
  readonly url: string;
  readonly email: string;
  /** Both of its IP addresses are registered, and a third was refused. */
  readonly fullLicense: SoldLicense;
  /** Lifetime, with a product that offers nothing but viewing. */
  readonly plainLicense: SoldLicense;
  sell(customerEmail: string, more?: object): Promise<SoldLicense>;
  /** What validate says to an app at this IP address. */
  validate(licenseKey: string, ip: string): Promise<unknown>;
  /** The code in the newest email. */
  code(email: string, kind?: "portal_sign_in" | "portal_email"): Promise<string>;
  link(email: string): Promise<string>;
  /** A new page on a phone, unless another look is given. */
  visitor(look?: Look): Promise<Page>;
  /** A page with a signed-in customer. */
  signedIn(email: string, look?: Look): Promise<Page>;
  close(): Promise<void>;
}

export interface SoldLicense {
  readonly id: string;
  readonly key: string;
}

export const homeIp = "203.0.113.24";
export const oldIp = "198.51.100.7";
export const thirdIp = "192.0.2.99";

interface PortalHost {
  /** Whether the portal has another host than the dashboard. */
  readonly hasOwnHost?: boolean;
}

/** The server of the tests in which the portal has no other host than the dashboard. */
let shared: Promise<PortalPages> | undefined;

async function openSharedPages(make: () => Promise<TestDatabase>): Promise<PortalPages> {
  if (shared === undefined) {
    const opened = openPortalPages(make, {});
    shared = opened;
    afterAllFiles.push(async () => (await opened).close());
  }
  return { ...(await shared), close: async () => {} };
}

/** Tests of the customer portal in a browser. */
export function portalTests(
  title: string,
  tests: (portal: PortalPages) => void,
  host: PortalHost = {},
): void {
  browserTests(title, (make) => {
    // Complete before the first test.
    const portal = {} as PortalPages;
    beforeAll(async () => {
      Object.assign(portal, await (host.hasOwnHost ? openPortalPages(make, host) : openSharedPages(make)));
    });
    tests(portal);
    afterAll(async () => {
      await handBackPages("file");
      await portal.close();
    });
  });
}

async function openPortalPages(
  make: () => Promise<TestDatabase>,
  { hasOwnHost = false }: PortalHost,
): Promise<PortalPages> {
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
  await manage("PUT", `/products/${productId}/downloads`, {
    data: [
      {
        title: "Polaris for Windows",
        url: "https://cdn.nordlicht.example/polaris.exe",
        checksum: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      },
    ],
  });
  const viewed = await manage("POST", `/organizations/${organizationId}/products`, { name: "Atlas" });

  const sellOf = async (product: string, customerEmail: string, more: object): Promise<SoldLicense> => {
    const sold = await manage("POST", `/products/${product}/licenses`, {
      licenses: [{ customer_email: customerEmail, ...more }],
    });
    const [license] = sold.data;
    return { id: license.id, key: license.license_key };
  };
  const validate: PortalPages["validate"] = async (license_key, ip) =>
    (await api.validate({ license_key }, { "x-forwarded-for": ip })).body.status;

  const fullLicense = await sellOf(productId, email, {
    max_ips: 2,
    ip_system_enabled: true,
    expires_in_seconds: 9.5 * 86_400,
  });
  for (const ip of [oldIp, homeIp, thirdIp]) await validate(fullLicense.key, ip);
  const plainLicense = await sellOf(viewed.id, email, { is_lifetime: true });

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
    fullLicense,
    plainLicense,
    sell: (customerEmail, more = {}) => sellOf(productId, customerEmail, more),
    validate,
    code: async (to, kind) => (await newestCode(fixture.store, to, kind)).code,
    link: async (to) => (await newestCode(fixture.store, to)).link,
    visitor,
    signedIn: async (customer, look) => {
      const page = await visitor(look);
      const value = await portalTokenOf(fixture.store, customer);
      const url = hasOwnHost ? ownHost : fixture.url;
      await page.context().addCookies([{ name: "countersign_portal", value, url }]);
      return page;
    },
    close: async () => {
      await dashboard.close();
      discord.close();
    },
  };
}

/** The token of another session of the person with this email address, without a code: how many are sent is limited. */
export async function portalTokenOf(store: Store, email: string): Promise<string> {
  const known = await store.reads
    .selectFrom("portal_identities")
    .select("person_id")
    .where("kind", "=", "email")
    .where("value", "=", email)
    .executeTakeFirst();
  const { token } =
    known === undefined
      ? await addPortalPerson(store, { emails: [email] })
      : await addSessionOf(store, known.person_id);
  return token;
}
