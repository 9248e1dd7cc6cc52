import { randomBytes } from "node:crypto";
import { addPortalSession } from "@countersign/store/queries/portal/sessions";
import type { Store } from "@countersign/store/store";
import type { BrowserContext, Page } from "playwright-core";
import { hashPortalToken } from "../../apps/server/features/portal/session.ts";
import { apiOf } from "./api.ts";
import { openContext } from "./chromium.ts";
import { type Dashboard, openDashboard } from "./dashboard.ts";
import type { TestDatabase } from "./databases.ts";
import { type FakeDiscord, startFakeDiscord } from "./fake-discord.ts";
import { freePort } from "./free-port.ts";
import { newestCode } from "./portal-client.ts";
import { newId } from "./test-organization.ts";

export interface Look {
  readonly scheme?: "light" | "dark";
  readonly width?: number;
}

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

export async function openPortalPages(
  make: () => Promise<TestDatabase>,
  { hasOwnHost = false } = {},
): Promise<PortalPages> {
  const discord = await startFakeDiscord();
  const port = String(await freePort());
  const ownHost = `http://localhost:${port}`;
  const dashboard = await openDashboard(make, {
    ...discord.settings,
    PORT: port,
    ...(hasOwnHost ? { COUNTERSIGN_PORTAL_URL: ownHost } : {}),
    // Email is configured, so emails wait in the outbox.
    COUNTERSIGN_SMTP_URL: "smtp://127.0.0.1:1",
    COUNTERSIGN_MAIL_FROM: "license@example.com",
  });
  const { fixture, manage, organizationId, productId, apiKey } = dashboard;
  const api = apiOf(fixture.url, apiKey);
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

  const contexts: BrowserContext[] = [];
  const visitor = async (look: Look = {}) => {
    const context = await openContext(look);
    contexts.push(context);
    await context.setExtraHTTPHeaders({ "x-forwarded-for": homeIp });
    return context.newPage();
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
      const value = await openSession(fixture.store, customer);
      const url = hasOwnHost ? ownHost : fixture.url;
      await page.context().addCookies([{ name: "countersign_portal", value, url }]);
      return page;
    },
    close: async () => {
      for (const context of contexts) await context.close();
      await dashboard.close();
      discord.close();
    },
  };
}

/** Another session of the person with this email address, without a code: how many are sent is limited. */
async function openSession(store: Store, email: string): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const nowMs = Date.now();
  await store.transaction(async (db) => {
    const known = await db
      .selectFrom("portal_identities")
      .select("person_id")
      .where("kind", "=", "email")
      .where("value", "=", email)
      .executeTakeFirst();
    const personId = known?.person_id ?? newId();
    if (known === undefined) {
      const person = { id: personId, locale: null, created_at: nowMs, updated_at: nowMs };
      await db.insertInto("portal_people").values(person).execute();
      const identity = { kind: "email" as const, value: email, name: null, verified_at: nowMs };
      await db
        .insertInto("portal_identities")
        .values({ id: newId(), person_id: personId, ...identity })
        .execute();
    }
    await addPortalSession(db, {
      id: newId(),
      person_id: personId,
      token_hash: hashPortalToken(token),
      signed_in_by: "email",
      ip: homeIp,
      user_agent: null,
      created_at: nowMs,
      last_used_at: nowMs,
      expires_at: nowMs + 86_400_000,
    });
  });
  return token;
}
