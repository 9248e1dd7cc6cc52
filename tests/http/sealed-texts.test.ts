import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { freshFolder, on } from "../support/databases.ts";
import { invitationTokenFor, openedEmails } from "../support/emails.ts";
import { everyFile, everythingStored } from "../support/everything-stored.ts";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import { runCountersign } from "../support/server-process.ts";
import { goodPassword, openSignInFixture, type SignInFixture, tokenIn } from "../support/sign-in-fixture.ts";
import { until } from "../support/until.ts";
import { allowLoopback, deliveriesTo } from "../support/webhooks.ts";
import { rowsWith } from "../support/whole-database.ts";

setDefaultTimeout(120_000);

const encryptionKey = randomBytes(32).toString("hex");
const canary = () => `canary${randomBytes(12).toString("hex")}`;

/** Secrets by name. */
type Secrets = Map<string, string>;

describe.each(on("postgres"))("with an encryption key on $kind", ({ kind, make }) => {
  test("links in emails, license keys in emails and webhook URLs are never stored or logged in clear text", async () => {
    const settings = { COUNTERSIGN_ENCRYPTION_KEY: encryptionKey, COUNTERSIGN_LOG_LEVEL: "debug" };
    const fixture = await openSignInFixture(make, {
      why: "reads the whole database",
      environment: {
        ...settings,
        ...allowLoopback,
        COUNTERSIGN_SIGN_UP: "open",
      },
    });
    // A receiver that echoes its URL, as many frameworks do.
    const receiver = await openReceiver(({ path }) => ({ status: 404, body: `Cannot POST ${path}` }));
    try {
      const secrets = await use(fixture, receiver);
      const printed = /\/setup\?token=([\w-]{43})/.exec(fixture.server.output())?.[1];
      const backup = kind === "sqlite" ? await backedUp(fixture) : Buffer.alloc(0);
      const stored = await everythingStored(fixture.database.location);
      const emailKeys = await keysInOutbox(fixture);
      // Proves that the search finds text that is present.
      expect(stored.includes("findable@example.net")).toBeTrue();
      const output = Buffer.from(fixture.server.output());
      for (const [what, secret] of secrets) {
        expect(secret.length).toBeGreaterThan(20);
        for (const [where, bytes] of [
          ["the database", stored],
          ["the backup", backup],
          ["the log", output],
        ] as const)
          expect([what, where, bytes.includes(secret)]).toEqual([what, where, false]);
      }
      expect(["the set-up link", stored.includes(printed ?? "no link was printed")]).toEqual([
        "the set-up link",
        false,
      ]);
      expect(emailKeys).toEqual([]);
    } finally {
      await receiver.close();
      await fixture.close();
    }
  });
});

/** Every action that makes the server store a link or a URL. */
async function use(fixture: SignInFixture, receiver: Receiver): Promise<Secrets> {
  const secrets: Secrets = new Map();
  const { browser, email } = await fixture.createSignedInUser({ admin: true });

  await fixture.browser().auth("/request-password-reset", { email });
  secrets.set("the reset link", tokenIn((await openedEmails(fixture.store, { to: email })).at(-1)));

  const fresh = `${canary()}@example.com`;
  await fixture.browser().auth("/sign-up/email", { name: "New", email: fresh, password: goodPassword });
  const [verification] = await openedEmails(fixture.store, { to: fresh });
  if (verification !== undefined) secrets.set("the verification link", tokenIn(verification));

  const moved = "findable@example.net";
  const changed = await browser.manage("POST", "/me/email", { new_email: moved, password: goodPassword });
  expect(changed.status).toBeLessThan(300);
  secrets.set("the email change link", tokenIn((await openedEmails(fixture.store, { to: moved })).at(-1)));

  const organization = (await browser.manage("POST", "/organizations", { name: "Acme" })).body;
  const base = `/organizations/${organization.id}`;
  const role = (await browser.manage("POST", `${base}/roles`, { name: "Guest", permissions: [] })).body;
  const invitation = { email: "guest@example.com", role_id: role.id };
  const once = { "idempotency-key": canary() };
  expect((await browser.manage("POST", `${base}/invitations`, invitation, once)).status).toBe(201);
  const token = await invitationTokenFor(fixture.store, invitation.email);
  await fixture.browser().manage("GET", `/invitations/${token}`);
  secrets.set("the invitation link", token);

  await addWithEmail(browser.manage.bind(browser), base);
  await callWebhooks(fixture, receiver, browser.manage.bind(browser), base, secrets);
  return secrets;
}

type Manage = SignInFixture["browser"] extends () => infer B
  ? B extends { manage: infer M }
    ? M
    : never
  : never;

async function addWithEmail(manage: Manage, base: string): Promise<void> {
  const product = await manage("POST", `${base}/products`, { name: "Tool", deliver_license_by_email: true });
  const added = await manage("POST", `/products/${product.body.id}/licenses`, {
    customer_email: "buyer@example.net",
    is_lifetime: true,
  });
  expect(added.status).toBe(201);
}

async function callWebhooks(
  fixture: SignInFixture,
  receiver: Receiver,
  manage: Manage,
  base: string,
  secrets: Secrets,
): Promise<void> {
  const [path, query, other, header] = [canary(), canary(), canary(), canary()];
  secrets.set("the path of a webhook URL", path);
  secrets.set("the query of a webhook URL", query);
  secrets.set("the earlier path of a webhook URL", other);
  secrets.set("a webhook header", header);
  const created = await manage(
    "POST",
    `${base}/webhooks`,
    { url: `${receiver.url}/${other}`, headers: { "x-own": header } },
    { "idempotency-key": canary() },
  );
  expect(created.status).toBe(201);
  const endpoint = `${base}/webhooks/${created.body.id}`;
  const url = `${receiver.url}/${path}?token=${query}`;
  expect((await manage("PATCH", endpoint, { url })).status).toBe(200);
  expect((await manage("GET", endpoint)).body.url).toBe(url);
  const userinfo = canary();
  secrets.set("the user of a refused webhook URL", userinfo);
  const refused = await manage("POST", `${base}/webhooks`, { url: `https://${userinfo}:x@hooks.example/` });
  expect(refused.status).toBe(422);
  expect((await manage("POST", `${endpoint}/test`, {})).status).toBeLessThan(300);
  // Deliveries of earlier events may still be in progress, to the earlier URL.
  const tested = async () =>
    (await deliveriesTo(fixture.store, created.body.id)).find((row) => row.event_type === "endpoint.test");
  await until("the test event was attempted", async () => ((await tested())?.attempts ?? 0) > 0);
  const delivery = await tested();
  const attempts = await manage("GET", `${endpoint}/deliveries/${delivery?.id}/attempts`);
  expect(attempts.body.data[0].response_body).toContain(path);
  await manage("GET", `${base}/export`);
  await manage("POST", `${endpoint}/disable`, {});
  await manage("DELETE", endpoint);
}

/** The rows of the outbox with a license key in clear text. Licenses themselves are looked up by their keys. */
async function keysInOutbox({ store }: SignInFixture): Promise<string[]> {
  const licenses = await store.reads.selectFrom("licenses").select("license_key").execute();
  const emails = await openedEmails(store, { to: "buyer@example.net" });
  expect(emails.some((message) => message.body_text.includes(licenses[0]?.license_key ?? "no key"))).toBe(
    true,
  );
  const found = await Promise.all(licenses.map(({ license_key }) => rowsWith(store, license_key)));
  return found.flatMap((rows) => rows.outbox ?? []);
}

async function backedUp(fixture: SignInFixture): Promise<Buffer> {
  const folder = join(freshFolder(), "backup");
  const { code, stderr } = await runCountersign(["backup", folder], fixture.environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return everyFile(folder);
}
