import { expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseLocation } from "@countersign/store/databases/open";
import { apiOf } from "../support/api.ts";
import type { Browser } from "../support/browser.ts";
import { freshFolder, on } from "../support/databases.ts";
import { invitationTokenFor, openedEmails } from "../support/emails.ts";
import { withClient } from "../support/postgres.ts";
import { openReceiver } from "../support/receiver.ts";
import { requestLog } from "../support/request-log.ts";
import { runCountersign } from "../support/server-process.ts";
import { goodPassword, type SignInFixture, signInFixtureOf, tokenIn } from "../support/sign-in-fixture.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { openServer, type TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import { deliveriesTo } from "../support/webhooks.ts";
import { rowsWith } from "../support/whole-database.ts";

setDefaultTimeout(120_000);

const canary = () => `canary${randomBytes(12).toString("hex")}`;
const idempotency = () => ({ "idempotency-key": canary() });

/** Secrets by name. */
type Secrets = Map<string, string | Uint8Array>;

test.each(on("sqlite"))(
  "no secret is stored, backed up or logged in clear text on $kind",
  async ({ kind, make }) => {
    const running = await openServer(make, {
      why: "reads the whole database and log",
      environment: {
        COUNTERSIGN_ENCRYPTION_KEY: randomBytes(32).toString("hex"),
        COUNTERSIGN_LOG_LEVEL: "debug",
        COUNTERSIGN_SIGN_UP: "open",
      },
    });
    const { server, store, database, environment } = running;
    const fixture = signInFixtureOf(running);
    const secrets: Secrets = new Map();
    const key = await validate(running, secrets);
    await sendLinks(fixture, secrets);
    const { browser } = await fixture.createSignedInUser();
    const base = `/organizations/${(await browser.manage("POST", "/organizations", { name: "Acme" })).body.id}`;
    await invite(fixture, browser, base, secrets);
    await sendLicense(browser, base);
    await callWebhooks(fixture, browser, base, secrets);
    expect(await keysInOutbox(fixture)).toEqual([]);

    const stored = await everythingStored(database.location);
    // Proves that the search finds text that is present.
    for (const text of [key, "findable@example.net"]) expect(stored.includes(text)).toBeTrue();
    // A link to it is printed once, and nothing else of it is stored.
    const printed = /\/setup\?token=([\w-]{43})/.exec(server.output())?.[1] ?? "no link was printed";
    expect(["the set-up link", stored.includes(printed)]).toEqual(["the set-up link", false]);
    const backup = kind === "sqlite" ? await backedUp(environment) : Buffer.alloc(0);
    expect(await server.stop()).toBe(0);
    await store.close();
    const places = {
      "the database": stored,
      "the backup": backup,
      "the database after the server stopped": await everythingStored(database.location),
      "the output": Buffer.from(server.output()),
    };
    for (const [what, secret] of secrets) {
      expect(secret.length).toBeGreaterThan(20);
      for (const [where, bytes] of Object.entries(places))
        expect([what, where, bytes.includes(secret)]).toEqual([what, where, false]);
    }
    for (const spelling of [key, key.toLowerCase(), key.replaceAll("-", "")])
      expect(server.output()).not.toContain(spelling);
    database.remove();
  },
);

/** Every request of an application that makes the server store or log data. Returns the license key. */
async function validate({ store, url }: TestServer, secrets: Secrets): Promise<string> {
  const options = { store, settings: { signed_validation: 1 } } as const;
  const { apiKey, signingKey, license } = await openTestOrganization(null, options);
  const { key } = await license();
  const api = apiOf(url, apiKey);
  await api.validate({ license_key: key, version: "1.0.0", device_id: "machine" });
  await api.validate({ license_key: key.toLowerCase() });
  for (const body of [`{"license_key":"${key}`, "x".repeat(20_000)]) await api.validateRaw(body);
  await api.validate({ license_key: 5, version: 6, device_id: 7 });
  for (const wanted of [key, "none"]) await api.lookup(wanted);
  await apiOf(url, `${apiKey}x`).validate({ license_key: key });
  await fetch(`${url}/api/v1/license/${key}?api_key=${apiKey}`);
  await fetch(`${url}/unknown/${apiKey}/${key}`);
  const last = await api.validate({ license_key: key });
  await until("the last request is in the request log", async () => {
    const rows = await requestLog(store, { id: String(last.headers.get("x-request-id")) });
    return rows.length === 1;
  });
  const secret = Buffer.from(signingKey.secret);
  secrets.set("the API key", apiKey);
  secrets.set("the secret part of the API key", apiKey.slice(13, -6));
  secrets.set("the signing secret", secret);
  for (const encoding of ["hex", "base64", "base64url"] as const)
    secrets.set(`the signing secret in ${encoding}`, secret.toString(encoding).replace(/=+$/, ""));
  return key;
}

/** Every action of a user that sends an email with a link. */
async function sendLinks(fixture: SignInFixture, secrets: Secrets): Promise<void> {
  const { browser, email } = await fixture.createSignedInUser();
  const tokenTo = async (to: string) => tokenIn((await openedEmails(fixture.store, { to })).at(-1));
  await fixture.browser().auth("/request-password-reset", { email });
  secrets.set("the reset link", await tokenTo(email));

  const signedUp = `${canary()}@example.com`;
  const user = { name: "New", email: signedUp, password: goodPassword };
  expect((await fixture.browser().auth("/sign-up/email", user)).status).toBeLessThan(300);
  secrets.set("the verification link", await tokenTo(signedUp));

  const changed = { new_email: "findable@example.net", password: goodPassword };
  expect((await browser.manage("POST", "/me/email", changed)).status).toBeLessThan(300);
  secrets.set("the email change link", await tokenTo(changed.new_email));
}

async function invite(
  { store, browser: newBrowser }: SignInFixture,
  browser: Browser,
  base: string,
  secrets: Secrets,
) {
  const { body: role } = await browser.manage("POST", `${base}/roles`, { name: "Guest", permissions: [] });
  const invitation = { email: "guest@example.com", role_id: role.id };
  const invited = await browser.manage("POST", `${base}/invitations`, invitation, idempotency());
  expect(invited.status).toBe(201);
  const token = await invitationTokenFor(store, invitation.email);
  await newBrowser().manage("GET", `/invitations/${token}`);
  secrets.set("the invitation link", token);
}

async function sendLicense(browser: Browser, base: string) {
  const settings = { name: "Tool", deliver_license_by_email: true };
  const { body: product } = await browser.manage("POST", `${base}/products`, settings);
  const license = { customer_email: "buyer@example.net", is_lifetime: true };
  expect((await browser.manage("POST", `/products/${product.id}/licenses`, license)).status).toBe(201);
}

async function callWebhooks({ store }: SignInFixture, browser: Browser, base: string, secrets: Secrets) {
  const secret = (what: string) => {
    const text = canary();
    secrets.set(what, text);
    return text;
  };
  // Echoes its URL, as many frameworks do.
  const receiver = await openReceiver(({ path }) => ({ status: 404, body: `Cannot POST ${path}` }));
  const webhook = {
    url: `${receiver.url}/${secret("the earlier path of a webhook URL")}`,
    headers: { "x-own": secret("a webhook header") },
  };
  const created = await browser.manage("POST", `${base}/webhooks`, webhook, idempotency());
  expect(created.status).toBe(201);
  const endpoint = `${base}/webhooks/${created.body.id}`;
  const path = secret("the path of a webhook URL");
  const url = `${receiver.url}/${path}?token=${secret("the query of a webhook URL")}`;
  expect((await browser.manage("PATCH", endpoint, { url })).status).toBe(200);
  expect((await browser.manage("GET", endpoint)).body.url).toBe(url);
  const refused = { url: `https://${secret("the user of a refused webhook URL")}:x@hooks.example/` };
  expect((await browser.manage("POST", `${base}/webhooks`, refused)).status).toBe(422);
  expect((await browser.manage("POST", `${endpoint}/test`, {})).status).toBeLessThan(300);
  // Deliveries of earlier events may still be in progress, to the earlier URL.
  const tested = async () =>
    (await deliveriesTo(store, created.body.id)).find((row) => row.event_type === "endpoint.test");
  await until("the test event was attempted", async () => ((await tested())?.attempts ?? 0) > 0);
  const attempts = await browser.manage("GET", `${endpoint}/deliveries/${(await tested())?.id}/attempts`);
  expect(attempts.body.data[0].response_body).toContain(path);
  await browser.manage("GET", `${base}/export`);
  await browser.manage("POST", `${endpoint}/disable`, {});
  await browser.manage("DELETE", endpoint);
  await receiver.close();
}

/** The rows of the outbox with a license key in clear text. Licenses themselves are looked up by their keys. */
async function keysInOutbox({ store }: SignInFixture): Promise<string[]> {
  const licenses = await store.reads.selectFrom("licenses").select("license_key").execute();
  const [email] = await openedEmails(store, { to: "buyer@example.net" });
  expect(licenses.some(({ license_key }) => email?.body_text.includes(license_key))).toBeTrue();
  const found = await Promise.all(licenses.map(({ license_key }) => rowsWith(store, license_key)));
  return found.flatMap((rows) => rows.outbox ?? []);
}

async function backedUp(environment: Readonly<Record<string, string>>): Promise<Buffer> {
  const folder = join(freshFolder(), "backup");
  const { code, stderr } = await runCountersign(["backup", folder], environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return everyFile(folder);
}

/** Every byte in SQLite's folder, or every row of every PostgreSQL table. */
async function everythingStored(location: DatabaseLocation): Promise<Buffer> {
  if (location.kind === "sqlite") return everyFile(location.folder);
  const texts: string[] = [];
  await withClient(location.url, async (client) => {
    const tables = await client.query(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    for (const { name } of tables.rows) {
      const { rows } = await client.query(`select t::text as row from ${name} t`);
      texts.push(...rows.map(({ row }) => row));
    }
  });
  return Buffer.from(texts.join("\n"));
}

function everyFile(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return Buffer.concat(files.map((file) => readFileSync(join(file.parentPath, file.name))));
}
