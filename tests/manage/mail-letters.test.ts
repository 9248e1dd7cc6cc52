import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { languages } from "@countersign/domain/mail/languages";
import { tellEndpointDisabled } from "../../apps/server/features/mail/endpoint-letters.ts";
import { dedupeKey, writeLetter } from "../../apps/server/features/mail/letter.ts";
import { licenseExpiringLetters } from "../../apps/server/features/mail/license-letters.ts";
import { databases } from "../support/databases.ts";
import { goodPassword, openHouse } from "../support/house.ts";
import { openedLetters } from "../support/letters.ts";
import { csvFile, importFile } from "../support/license-files.ts";
import { type Office, openOffice } from "../support/office.ts";
import { sell } from "../support/sell.ts";
import { newId } from "../support/seller.ts";

setDefaultTimeout(60_000);

const dayMs = 24 * 60 * 60 * 1000;

describe.each(databases)("letters on $kind", ({ make }) => {
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(make, { COUNTERSIGN_URL: "https://license.example.com" });
  });
  afterAll(() => office.close());

  const lettersTo = (recipient: string) => openedLetters(office.store, { to: recipient });
  const address = () => `${newId()}@example.net`;
  const product = async (settings: object) =>
    (
      await office.owner.api.post(`/organizations/${office.organizationId}/products`, {
        name: "Acme Backup",
        ...settings,
      })
    ).body;
  const speak = async (locale: string) =>
    expect(
      (await office.owner.api.patch(`/organizations/${office.organizationId}`, { locale })).body.locale,
    ).toBe(locale);
  const delivered = { deliver_license_by_mail: true };

  test("a server that sends no emails says so of a license, has the text, and sends none", async () => {
    const made = await product(delivered);
    const to = address();
    const license = await office.owner.api.post(`/products/${made.id}/licenses`, { customer_email: to });
    const path = `/licenses/${license.body.id}/email`;
    const email = await office.owner.api.get(path);
    expect(email.body).toMatchObject({ state: "kept", recipient: to, sent_at: null });
    expect(email.body.text).toContain(license.body.license_key);
    const refused = await office.owner.api.post(path);
    expect([refused.status, refused.body.code]).toEqual([409, "license_email_unavailable"]);
  });

  test("two letters about the same are one, also when both are written at once", async () => {
    const to = address();
    const once = `test:${newId()}`;
    const write = (subject: string) =>
      office.store.transaction((db) =>
        writeLetter(db, { to, subject, text: "Words.", html: null, kind: "test", once }, Date.now()),
      );
    await Promise.all(["A", "B", "C"].map(write));
    await write("D");
    expect(await lettersTo(to)).toHaveLength(1);
  });

  test("letters that tell of nothing in particular are all written", async () => {
    const to = address();
    for (const subject of ["A", "B\r\nBcc: everyone@example.com"])
      await office.store.transaction((db) =>
        writeLetter(db, { to, subject, text: "Words.", html: null, kind: "test" }, Date.now()),
      );
    expect((await lettersTo(to)).map((letter) => letter.subject)).toEqual([
      "A",
      "B Bcc: everyone@example.com",
    ]);
  });

  test("nobody is written to about a license unless the product says so", async () => {
    const made = await product({});
    expect(made).toMatchObject({
      deliver_license_by_mail: false,
      license_mail_text: null,
      expiring_soon_mail: false,
    });
    const to = address();
    await office.owner.api.post(`/products/${made.id}/licenses`, { customer_email: to });
    expect(await lettersTo(to)).toEqual([]);
  });

  test("the customer gets the key, once, in the organization's language and with the seller's words", async () => {
    await speak("de");
    const { id } = await product({ ...delivered, license_mail_text: "Danke, <b>Ada</b>!\n\nBis bald." });
    const to = address();
    const send = () =>
      office.owner.api.post(
        `/products/${id}/licenses`,
        { customer_email: to, expires_at: "2031-01-02T03:04:05Z" },
        { "idempotency-key": to },
      );
    const { body: license } = await send();
    expect((await send()).body.id).toBe(license.id);
    await speak("en");
    const [letter, ...others] = await lettersTo(to);
    expect(others).toEqual([]);
    expect(letter).toMatchObject({
      kind: "license_delivery",
      subject: "Deine Lizenz für Acme Backup",
      dedupe_key: dedupeKey(`license_delivery:${license.id}`),
    });
    for (const part of [license.license_key, "Acme Backup", "bis 2. Januar 2031 um 03:04 UTC", "Bis bald."]) {
      expect(letter?.body_text).toContain(part);
      expect(letter?.body_html).toContain(part);
    }
    expect(letter?.body_html).not.toContain("<b>Ada");
  });

  test("a product has its own language for its customers, or the organization's", async () => {
    await speak("de");
    const made = await product({ ...delivered, locale: "es" });
    expect(made.locale).toBe("es");
    const wrong = await office.owner.api.patch(`/products/${made.id}`, { locale: "fr" });
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "locale"]);
    const to = address();
    const create = () => office.owner.api.post(`/products/${made.id}/licenses`, { customer_email: to });
    await create();
    expect((await office.owner.api.patch(`/products/${made.id}`, { locale: null })).body.locale).toBeNull();
    await create();
    await speak("en");
    expect((await lettersTo(to)).map((letter) => letter.subject)).toEqual([
      "Tu licencia de Acme Backup",
      "Deine Lizenz für Acme Backup",
    ]);
  });

  test("of several licenses each comes with its letter; a customer without an address gets none", async () => {
    const { id } = await product(delivered);
    const [ada, grace] = [address(), address()];
    const { body } = await office.owner.api.post(`/products/${id}/licenses`, {
      licenses: [
        { customer_email: ada },
        { customer_email: ada, is_lifetime: true },
        { customer_email: grace, term_seconds: 30 * 86_400 },
        { customer_discord_id: "123456789012345678" },
      ],
    });
    expect(body.data).toHaveLength(4);
    expect(await lettersTo(ada)).toHaveLength(2);
    const [letter] = await lettersTo(grace);
    expect(letter?.body_text).toContain("Validity: 30 days from first use");
  });

  test("of many that are made in lots each has its letter, and a repetition writes none again", async () => {
    const { id } = await product(delivered);
    const to = address();
    const send = () =>
      office.owner.api.post(
        `/products/${id}/licenses`,
        { customer_email: to, count: 150 },
        { "idempotency-key": to },
      );
    expect((await send()).status).toBe(201);
    expect((await send()).status).toBe(201);
    const letters = await lettersTo(to);
    expect(new Set(letters.map((letter) => letter.dedupe_key)).size).toBe(150);
    expect(letters).toHaveLength(150);
  });

  test("an import writes to nobody", async () => {
    const { id } = await product(delivered);
    const to = address();
    const file = csvFile(["customer_email", "license_key"], [to, newId()]);
    expect(await importFile(office, file, "", { productId: id })).toMatchObject({
      state: "finished",
      created: 1,
    });
    expect(await lettersTo(to)).toEqual([]);
  });

  test("of a license that runs out soon its customer is told once for each end, where the product says so", async () => {
    const to = address();
    const { id: productId } = await product({ expiring_soon_mail: true });
    const license = await sell(office, {
      productId,
      expiresAtMs: Date.now() + 3 * dayMs,
      customer: { email: to },
    });
    const quiet = await sell(office, { expiresAtMs: Date.now() + 3 * dayMs, customer: { email: to } });
    const tell = () =>
      office.store.transaction((db) => licenseExpiringLetters(db, [license.id, quiet.id], 1_000, Date.now()));
    await tell();
    await tell();
    const letters = await lettersTo(to);
    expect(letters.map((letter) => [letter.kind, letter.subject])).toEqual([
      ["license_expiring", "Your Acme Backup license expires soon"],
    ]);
    expect(letters[0]?.body_text).toContain(license.key);
    await office.owner.api.post(`/licenses/${license.id}/renew`, { extend_by_seconds: 86_400 });
    await tell();
    expect(await lettersTo(to)).toHaveLength(2);
  });

  test("the owner is told of an endpoint that was switched off, without what is secret in its address", async () => {
    const endpoint = {
      id: newId(),
      organization_id: office.organizationId,
      url: "https://discord.com/api/webhooks/1/hush-hush",
      description: "Sales",
      failing_since: Date.UTC(2031, 0, 2, 3, 4),
      auto_reenable: 1,
    } as const;
    const nowMs = Date.now();
    for (let time = 0; time < 2; time++)
      await office.store.transaction((db) =>
        tellEndpointDisabled(db, endpoint, "failing", "https://license.example.com", nowMs),
      );
    const letters = await lettersTo(office.owner.email);
    const told = letters.filter((letter) => letter.kind === "endpoint_disabled");
    expect(told).toHaveLength(1);
    expect(told[0]?.body_text).toContain(
      "Endpoint: discord.com\nDescription: Sales\nFailing since: January 2, 2031",
    );
    expect(JSON.stringify(told)).not.toContain("hush-hush");
  });

  test("people choose the language of their letters, among those there are", async () => {
    const person = await office.person();
    expect((await person.api.get("/me")).body.locale).toBe("en");
    const refused = await person.api.patch("/me", { locale: "tlh" });
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "locale"]);
    expect((await person.api.patch("/me", { locale: "es" })).body.locale).toBe("es");
    expect(
      (await office.owner.api.patch(`/organizations/${office.organizationId}`, { locale: "x" })).status,
    ).toBe(422);
    const { body: organization } = await person.api.post("/organizations", { name: "Casa" });
    await person.api.send(
      "DELETE",
      `/organizations/${organization.id}`,
      JSON.stringify({ confirm: organization.slug }),
      { "content-type": "application/json" },
    );
    expect((await lettersTo(person.email)).map((letter) => letter.subject)).toEqual([
      "Casa se va a eliminar",
    ]);
  });

  test("the platform admin sees every kind in every language, in a page that can do nothing", async () => {
    const { body } = await office.admin.api.get("/admin/mail-templates");
    expect(body.languages).toEqual([...languages]);
    for (const kind of body.kinds) {
      for (const language of body.languages) {
        const path = `/admin/mail-templates/${kind}?language=${language}`;
        const page = await office.admin.api.get(path);
        expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
        expect(page.text).toContain(`<html lang="${language}">`);
        const policy = page.headers.get("content-security-policy") ?? "";
        expect(policy).toContain("default-src 'none'");
        expect(policy).toContain("sandbox");
        expect(policy).not.toMatch(/script|allow-same-origin/);
        const text = await office.admin.api.get(`${path}&format=text`);
        expect(text.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      }
    }
    expect((await office.admin.api.get("/admin/mail-templates/toString")).status).toBe(404);
    const unknown = await office.admin.api.get("/admin/mail-templates/invitation?language=fr");
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, "language"]);
    for (const path of ["/admin/mail-templates", "/admin/mail-templates/invitation"])
      expect((await office.owner.api.get(path)).status).toBeOneOf([403, 404]);
  });

  test("a letter that waits is seen as its reader would see it, and not any more once it was sent", async () => {
    const to = address();
    const html = "<p>Hello <script>alert(1)</script></p>";
    await office.store.transaction((db) =>
      writeLetter(db, { to, subject: "A", text: "Hello", html, kind: "test" }, Date.now()),
    );
    const [letter] = await lettersTo(to);
    const path = `/admin/mailbox/${letter?.id}/html`;
    const page = await office.admin.api.get(path);
    expect([page.status, page.text]).toEqual([200, html]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    await office.store.transaction((db) =>
      db.updateTable("mailbox").set({ sent_at: Date.now() }).where("recipient", "=", to).execute(),
    );
    expect((await office.admin.api.get(path)).status).toBe(404);
  });

  test("whoever signs up is written to in the language of their browser", async () => {
    const house = await openHouse(make, { COUNTERSIGN_SIGN_UP: "open" });
    try {
      const email = address();
      const browser = house.browser();
      const german = { "accept-language": "de-AT,de;q=0.9,en;q=0.8" };
      const person = { name: "Ada", email, password: goodPassword };
      expect((await browser.auth("/sign-up/email", { ...person, locale: "es" }, german)).status).toBe(422);
      expect((await browser.auth("/sign-up/email", person, german)).body).toEqual({ status: true });
      const [letter] = await house.letters(email);
      expect(letter?.subject).toBe("Bestätige deine E-Mail-Adresse");
    } finally {
      await house.close();
    }
  });
});
