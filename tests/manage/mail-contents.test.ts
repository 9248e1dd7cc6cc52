import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { languages } from "@countersign/domain/mail/languages";
import { readConfig } from "../../apps/server/config.ts";
import { dedupeKey, writeEmail } from "../../apps/server/features/mail/email.ts";
import { notifyEndpointDisabled } from "../../apps/server/features/mail/endpoint-emails.ts";
import { licenseExpiringEmails } from "../../apps/server/features/mail/license-emails.ts";
import { addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { csvFile, importFile } from "../support/license-files.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { goodPassword, openSignInFixture } from "../support/sign-in-fixture.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

const dayMs = 24 * 60 * 60 * 1000;

describe.each(databases)("emails on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make, { COUNTERSIGN_URL: "https://license.example.com" });
  });
  afterAll(() => fixture.close());

  const emailsTo = (recipient: string) => openedEmails(fixture.store, { to: recipient });
  const address = () => `${newId()}@example.net`;
  const product = async (settings: object) =>
    (
      await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
        name: "Acme Backup",
        ...settings,
      })
    ).body;
  const setLocale = async (locale: string) =>
    expect(
      (await fixture.owner.api.patch(`/organizations/${fixture.organizationId}`, { locale })).body.locale,
    ).toBe(locale);
  const delivered = { deliver_license_by_email: true };

  test("without a mail server, a license shows its email text as kept and sends nothing", async () => {
    const made = await product(delivered);
    const to = address();
    const license = await fixture.owner.api.post(`/products/${made.id}/licenses`, { customer_email: to });
    const path = `/licenses/${license.body.id}/email`;
    const email = await fixture.owner.api.get(path);
    expect(email.body).toMatchObject({ state: "kept", recipient: to, sent_at: null });
    expect(email.body.text).toContain(license.body.license_key);
    const refused = await fixture.owner.api.post(path);
    expect([refused.status, refused.body.code]).toEqual([409, "license_email_unavailable"]);
  });

  test("emails with the same deduplication key are sent once, even if written concurrently", async () => {
    const to = address();
    const once = `test:${newId()}`;
    const write = (subject: string) =>
      fixture.store.transaction((db) =>
        writeEmail(db, { to, subject, text: "Words.", html: null, kind: "test", once }, Date.now()),
      );
    await Promise.all(["A", "B", "C"].map(write));
    await write("D");
    expect(await emailsTo(to)).toHaveLength(1);
  });

  test("emails without a deduplication key are all sent", async () => {
    const to = address();
    for (const subject of ["A", "B\r\nBcc: everyone@example.com"])
      await fixture.store.transaction((db) =>
        writeEmail(db, { to, subject, text: "Words.", html: null, kind: "test" }, Date.now()),
      );
    expect((await emailsTo(to)).map((message) => message.subject)).toEqual([
      "A",
      "B Bcc: everyone@example.com",
    ]);
  });

  test("a license sends no email unless the product enables it", async () => {
    const made = await product({});
    expect(made).toMatchObject({
      deliver_license_by_email: false,
      license_email_text: null,
      expiring_soon_email: false,
    });
    const to = address();
    await fixture.owner.api.post(`/products/${made.id}/licenses`, { customer_email: to });
    expect(await emailsTo(to)).toEqual([]);
  });

  test("the customer gets the key once, in the organization's language and with the custom text", async () => {
    await setLocale("de");
    const { id } = await product({ ...delivered, license_email_text: "Danke, <b>Ada</b>!\n\nBis bald." });
    const to = address();
    const send = () =>
      fixture.owner.api.post(
        `/products/${id}/licenses`,
        { customer_email: to, expires_at: "2031-01-02T03:04:05Z" },
        { "idempotency-key": to },
      );
    const { body: license } = await send();
    expect((await send()).body.id).toBe(license.id);
    await setLocale("en");
    const [message, ...others] = await emailsTo(to);
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      kind: "license_delivery",
      subject: "Deine Lizenz für Acme Backup",
      dedupe_key: dedupeKey(`license_delivery:${license.id}`),
    });
    for (const part of [license.license_key, "Acme Backup", "bis 2. Januar 2031 um 03:04 UTC", "Bis bald."]) {
      expect(message?.body_text).toContain(part);
      expect(message?.body_html).toContain(part);
    }
    expect(message?.body_html).not.toContain("<b>Ada");
  });

  test("a product's language takes precedence over the organization's", async () => {
    await setLocale("de");
    const made = await product({ ...delivered, locale: "es" });
    expect(made.locale).toBe("es");
    const wrong = await fixture.owner.api.patch(`/products/${made.id}`, { locale: "fr" });
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "locale"]);
    const to = address();
    const create = () => fixture.owner.api.post(`/products/${made.id}/licenses`, { customer_email: to });
    await create();
    expect((await fixture.owner.api.patch(`/products/${made.id}`, { locale: null })).body.locale).toBeNull();
    await create();
    await setLocale("en");
    expect((await emailsTo(to)).map((message) => message.subject)).toEqual([
      "Tu licencia de Acme Backup",
      "Deine Lizenz für Acme Backup",
    ]);
  });

  test("each of several licenses sends its email, and a customer without an email address gets none", async () => {
    const { id } = await product(delivered);
    const [ada, grace] = [address(), address()];
    const { body } = await fixture.owner.api.post(`/products/${id}/licenses`, {
      licenses: [
        { customer_email: ada },
        { customer_email: ada, is_lifetime: true },
        { customer_email: grace, term_seconds: 30 * 86_400 },
        { customer_discord_id: "123456789012345678" },
      ],
    });
    expect(body.data).toHaveLength(4);
    expect(await emailsTo(ada)).toHaveLength(2);
    const [message] = await emailsTo(grace);
    expect(message?.body_text).toContain("Validity: 30 days from first use");
  });

  test("each license of a large batch sends one email, even if the request is repeated", async () => {
    const { id } = await product(delivered);
    const to = address();
    const send = () =>
      fixture.owner.api.post(
        `/products/${id}/licenses`,
        { customer_email: to, count: 150 },
        { "idempotency-key": to },
      );
    expect((await send()).status).toBe(201);
    expect((await send()).status).toBe(201);
    const emails = await emailsTo(to);
    expect(new Set(emails.map((message) => message.dedupe_key)).size).toBe(150);
    expect(emails).toHaveLength(150);
  });

  test("an import sends no emails", async () => {
    const { id } = await product(delivered);
    const to = address();
    const file = csvFile(["customer_email", "license_key"], [to, newId()]);
    expect(await importFile(fixture, file, "", { productId: id })).toMatchObject({
      state: "finished",
      created: 1,
    });
    expect(await emailsTo(to)).toEqual([]);
  });

  test("a customer gets one email per expiry that is near, if the product enables it", async () => {
    const to = address();
    const { id: productId } = await product({ expiring_soon_email: true });
    const license = await addLicense(fixture, {
      productId,
      expiresAtMs: Date.now() + 3 * dayMs,
      customer: { email: to },
    });
    const quiet = await addLicense(fixture, { expiresAtMs: Date.now() + 3 * dayMs, customer: { email: to } });
    const notify = () =>
      fixture.store.transaction((db) =>
        licenseExpiringEmails(db, [license.id, quiet.id], readConfig({}), Date.now()),
      );
    await notify();
    await notify();
    const emails = await emailsTo(to);
    expect(emails.map((message) => [message.kind, message.subject])).toEqual([
      ["license_expiring", "Your Acme Backup license expires soon"],
    ]);
    expect(emails[0]?.body_text).toContain(license.key);
    await fixture.owner.api.post(`/licenses/${license.id}/renew`, { extend_by_seconds: 86_400 });
    await notify();
    expect(await emailsTo(to)).toHaveLength(2);
  });

  test("the owner is notified of a disabled endpoint without the secret part of its URL", async () => {
    const endpoint = {
      id: newId(),
      organization_id: fixture.organizationId,
      url: "https://discord.com/api/webhooks/1/hush-hush",
      description: "Sales",
      failing_since: Date.UTC(2031, 0, 2, 3, 4),
      auto_reenable: 1,
    } as const;
    const nowMs = Date.now();
    for (let time = 0; time < 2; time++)
      await fixture.store.transaction((db) =>
        notifyEndpointDisabled(db, endpoint, "failing", "https://license.example.com", nowMs),
      );
    const emails = await emailsTo(fixture.owner.email);
    const notices = emails.filter((message) => message.kind === "endpoint_disabled");
    expect(notices).toHaveLength(1);
    expect(notices[0]?.body_text).toContain(
      "Endpoint: discord.com\nDescription: Sales\nFailing since: January 2, 2031",
    );
    expect(JSON.stringify(notices)).not.toContain("hush-hush");
  });

  test("users choose the language of their emails from those available", async () => {
    const person = await fixture.person();
    expect((await person.api.get("/me")).body.locale).toBe("en");
    const refused = await person.api.patch("/me", { locale: "tlh" });
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "locale"]);
    expect((await person.api.patch("/me", { locale: "es" })).body.locale).toBe("es");
    expect(
      (await fixture.owner.api.patch(`/organizations/${fixture.organizationId}`, { locale: "x" })).status,
    ).toBe(422);
    const { body: organization } = await person.api.post("/organizations", { name: "Casa" });
    await person.api.send(
      "DELETE",
      `/organizations/${organization.id}`,
      JSON.stringify({ confirm: organization.slug }),
      { "content-type": "application/json" },
    );
    expect((await emailsTo(person.email)).map((message) => message.subject)).toEqual([
      "Casa se va a eliminar",
    ]);
  });

  test("the platform admin can preview every email in every language in a sandboxed page", async () => {
    const { body } = await fixture.admin.api.get("/admin/email-templates");
    expect(body.languages).toEqual([...languages]);
    for (const kind of body.kinds) {
      for (const language of body.languages) {
        const path = `/admin/email-templates/${kind}?language=${language}`;
        const page = await fixture.admin.api.get(path);
        expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
        expect(page.text).toContain(`<html lang="${language}">`);
        const policy = page.headers.get("content-security-policy") ?? "";
        expect(policy).toContain("default-src 'none'");
        expect(policy).toContain("sandbox");
        expect(policy).not.toMatch(/script|allow-same-origin/);
        const text = await fixture.admin.api.get(`${path}&format=text`);
        expect(text.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      }
    }
    expect((await fixture.admin.api.get("/admin/email-templates/toString")).status).toBe(404);
    const unknown = await fixture.admin.api.get("/admin/email-templates/invitation?language=fr");
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, "language"]);
    for (const path of ["/admin/email-templates", "/admin/email-templates/invitation"])
      expect((await fixture.owner.api.get(path)).status).toBeOneOf([403, 404]);
  });

  test("a queued email can be previewed until it is sent", async () => {
    const to = address();
    const html = "<p>Hello <script>alert(1)</script></p>";
    await fixture.store.transaction((db) =>
      writeEmail(db, { to, subject: "A", text: "Hello", html, kind: "test" }, Date.now()),
    );
    const [message] = await emailsTo(to);
    const path = `/admin/outbox/${message?.id}/html`;
    const page = await fixture.admin.api.get(path);
    expect([page.status, page.text]).toEqual([200, html]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    await fixture.store.transaction((db) =>
      db.updateTable("outbox").set({ sent_at: Date.now() }).where("recipient", "=", to).execute(),
    );
    expect((await fixture.admin.api.get(path)).status).toBe(404);
  });

  test("a new user's emails are in their browser's language", async () => {
    const signInFixture = await openSignInFixture(make, { COUNTERSIGN_SIGN_UP: "open" });
    try {
      const email = address();
      const browser = signInFixture.browser();
      const german = { "accept-language": "de-AT,de;q=0.9,en;q=0.8" };
      const person = { name: "Ada", email, password: goodPassword };
      expect((await browser.auth("/sign-up/email", { ...person, locale: "es" }, german)).status).toBe(422);
      expect((await browser.auth("/sign-up/email", person, german)).body).toEqual({ status: true });
      const [message] = await signInFixture.emails(email);
      expect(message?.subject).toBe("Bestätige deine E-Mail-Adresse");
    } finally {
      await signInFixture.close();
    }
  });
});
