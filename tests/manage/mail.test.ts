import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { times } from "../../packages/store/suite/calls.ts";
import { addLicense } from "../support/add-license.ts";
import { problemOf } from "../support/answers.ts";
import { postgres, sqlite } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { openKillableServer } from "../support/killable-server.ts";
import { csvFile, importFile } from "../support/license-files.ts";
import { refusal } from "../support/licenses.ts";
import { openMailServer } from "../support/mail-server.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

const delivered = { deliver_license_by_email: true };
const address = () => `${newId()}@example.net`;

testsOn("postgres", "emails to customers", openManageFixture, (fixture) => {
  const addProduct = async (settings: object = delivered, at = fixture) => {
    const product = { name: "Acme Backup", ...settings };
    return (await at.owner.api.post(`/organizations/${at.organizationId}/products`, product)).body;
  };
  const create = (productId: string, body: object, headers = {}) =>
    fixture.owner.api.post(`/products/${productId}/licenses`, body, headers);
  const emailsTo = (recipient: string, { store } = fixture) => openedEmails(store, { to: recipient });
  const licenseCount = async (productId: string) =>
    (await fixture.stored("licenses", { product_id: productId })).length;
  const keyed = (count: number, to: string) =>
    times(count, (index) => ({ customer_email: to, license_key: `BATCH-${to.slice(0, 13)}-${index}` }));

  test("the customer gets the key once if the product enables it, with its text, in its or the organization's language", async () => {
    const { patch } = fixture.owner.api;
    const organization = `/organizations/${fixture.organizationId}`;
    expect(refusal(await patch(organization, { locale: "x" }))).toEqual([422, "locale"]);
    expect((await patch(organization, { locale: "de" })).body.locale).toBe("de");
    const { id, ...settings } = await addProduct({});
    const off = { deliver_license_by_email: false, license_email_text: null, expiring_soon_email: false };
    expect(settings).toMatchObject({ ...off, locale: null });
    const to = address();
    await create(id, { customer_email: to });
    expect(await emailsTo(to)).toEqual([]);
    await patch(`/products/${id}`, { ...delivered, license_email_text: "Danke, <b>Ada</b>!\n\nBis bald." });
    const body = { customer_email: to, expires_at: "2031-01-02T03:04:05Z" };
    const { body: license } = await create(id, body, { "idempotency-key": to });
    expect((await create(id, body, { "idempotency-key": to })).body.id).toBe(license.id);
    const [message, ...others] = await emailsTo(to);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ kind: "license_delivery", subject: "Deine Lizenz für Acme Backup" });
    for (const part of [license.license_key, "Acme Backup", "bis 2. Januar 2031 um 03:04 UTC", "Bis bald."]) {
      expect(message?.body_text).toContain(part);
      expect(message?.body_html).toContain(part);
    }
    expect(message?.body_html).not.toContain("<b>Ada");
    expect(refusal(await patch(`/products/${id}`, { locale: "fr" }))).toEqual([422, "locale"]);
    expect((await patch(`/products/${id}`, { locale: "es" })).body.locale).toBe("es");
    await patch(organization, { locale: "en" });
    await create(id, { customer_email: to });
    expect((await emailsTo(to)).at(-1)?.subject).toBe("Tu licencia de Acme Backup");
  });

  test("without a mail server, a license shows its email text as kept and sends nothing", async () => {
    const { id } = await addProduct();
    const to = address();
    const { body: license } = await create(id, { customer_email: to });
    const path = `/licenses/${license.id}/email`;
    const { body } = await fixture.owner.api.get(path);
    expect(body).toMatchObject({ state: "kept", recipient: to, sent_at: null });
    expect(body.text).toContain(license.license_key);
    expect(problemOf(await fixture.owner.api.post(path))).toEqual([409, "license_email_unavailable"]);
    expect(await emailsTo(to)).toMatchObject([{ sent_at: null, failure: null, attempts: 0 }]);
  });

  test("each of several licenses sends its email, and a customer without an email address gets none", async () => {
    const { id } = await addProduct();
    const [ada, grace] = [address(), address()];
    const addressed = [ada, ada, grace].map((customer_email) => ({ customer_email }));
    const licenses = [...addressed, { customer_discord_id: "123456789012345678" }];
    expect((await create(id, { licenses })).body.data).toHaveLength(4);
    expect([await emailsTo(ada), await emailsTo(grace)].map((emails) => emails.length)).toEqual([2, 1]);
  });

  test("a small batch of licenses that fails sends no emails", async () => {
    const { id } = await addProduct();
    const to = address();
    const licenses = keyed(20, to);
    await addLicense(fixture, { productId: id, key: licenses.at(-1)?.license_key ?? "" });
    expect((await create(id, { licenses })).status).toBe(409);
    expect(await emailsTo(to)).toEqual([]);
  });

  test("a large batch of licenses that is rolled back because a key was taken in the meantime sends no emails", async () => {
    const { id } = await addProduct();
    const to = address();
    const licenses = keyed(1_500, to);
    const sending = create(id, { licenses });
    await until("some licenses are created", async () => (await licenseCount(id)) > 0);
    await addLicense(fixture, { productId: id, key: licenses.at(-1)?.license_key ?? "" });
    expect(refusal(await sending)).toEqual([409, "licenses.1499.license_key"]);
    expect(await licenseCount(id)).toBe(1);
    expect(await emailsTo(to)).toEqual([]);
  });

  test("an import sends no emails, with or without events, whether it succeeds or is rolled back", async () => {
    const { id: productId } = await addProduct();
    const to = address();
    const columns = ["license_key", "customer_email"];
    const rows = keyed(30, to).map(({ license_key: key }) => [key, to]);
    const wrong = csvFile(columns, ...rows, ["LAST", "not an address"]);
    for (const query of ["", "?send_events=true", "?mode=row_by_row&send_events=true"])
      expect((await importFile(fixture, wrong, query, { productId })).failed).toBe(1);
    const whole = csvFile(columns, [newId(), to]);
    expect(await importFile(fixture, whole, "", { productId })).toMatchObject({ created: 1 });
    expect(await licenseCount(productId)).toBe(31);
    expect(await emailsTo(to)).toEqual([]);
  });

  test("users choose the language of their emails from those available", async () => {
    const person = await fixture.person();
    expect((await person.api.get("/me")).body.locale).toBe("en");
    expect(refusal(await person.api.patch("/me", { locale: "tlh" }))).toEqual([422, "locale"]);
    expect((await person.api.patch("/me", { locale: "es" })).body.locale).toBe("es");
    const { body: organization } = await person.api.post("/organizations", { name: "Casa" });
    const deletion = JSON.stringify({ confirm: organization.slug });
    const headers = { "content-type": "application/json" };
    await person.api.send("DELETE", `/organizations/${organization.id}`, deletion, headers);
    const emails = await openedEmails(fixture.store, { to: person.email });
    expect(emails.map((message) => message.subject)).toEqual(["Casa se va a eliminar"]);
  });

  // The server releases waiting emails every ten seconds.
  test("emails beyond the organization's daily limit wait, and a raised limit releases them soon", async () => {
    const { id } = await addProduct();
    const path = `/admin/organizations/${fixture.organizationId}`;
    const setLimit = (limit: number | null) =>
      fixture.admin.api.patch(path, { daily_emails_override: limit });
    expect(refusal(await setLimit(-1))).toEqual([422, "daily_emails_override"]);
    const to = address();
    await setLimit(0);
    await create(id, { customer_email: to, count: 3 });
    const limited = { daily_emails_override: 0, waiting_email_count: 3 };
    expect((await fixture.admin.api.get(path)).body).toMatchObject(limited);
    expect(await emailsTo(to)).toEqual([]);
    await setLimit(1_000);
    await until("they are written", async () => (await emailsTo(to)).length === 3);
    expect((await fixture.admin.api.get(path)).body.waiting_email_count).toBe(0);
  });

  test("each email is written once when the server is killed in between and the request is repeated", async () => {
    const own = await openKillableServer(postgres.make);
    const { id } = await addProduct(delivered, own);
    const to = address();
    const headers = { "idempotency-key": newId() };
    const send = ({ post } = own.owner.api) =>
      post(`/products/${id}/licenses`, { customer_email: to, count: 800 }, headers);
    const written = () => emailsTo(to, own);
    try {
      await own.killDuring(send(), "some emails are written", async () => (await written()).length > 0);
      expect((await written()).length).toBeLessThan(800);
      const next = await own.startNext();
      const answers = await Promise.all([send(next), send(next)]);
      expect(answers.some((answer) => answer.status === 201)).toBe(true);
      expect((await send(next)).status).toBe(201);
      const keys = (await written()).map((message) => message.dedupe_key);
      expect([keys.length, new Set(keys).size]).toEqual([800, 800]);
    } finally {
      await own.close();
    }
  });
});

/** What is sent, and what is kept of it: apps/server/features/mail/mailer.test.ts. */
test("an expiry is recorded, and its email is sent by the mail server, without any request", async () => {
  const mailServer = await openMailServer();
  const fixture = await openManageFixture(sqlite.make, {
    why: "has a mail server",
    environment: { COUNTERSIGN_SMTP_URL: mailServer.url, COUNTERSIGN_MAIL_FROM: "license@example.com" },
  });
  try {
    const { api } = fixture.owner;
    const short = { name: "Short", expiring_soon_days: 1, expiring_soon_email: true };
    const { body } = await api.post(`/organizations/${fixture.organizationId}/products`, short);
    const [email, expiresAtMs] = [address(), Date.now() + dayMs];
    const { id, key } = await addLicense(fixture, { productId: body.id, expiresAtMs, customer: { email } });
    // The check runs every ten seconds.
    const mail = await mailServer.arrival(email);
    expect(mail.text).toContain(key);
    const events = (await api.get(`/licenses/${id}/events`)).body.data;
    expect(events).toMatchObject([{ type: "license.expiring_soon" }]);
    expect(mailServer.received.filter(({ to }) => to.includes(email))).toEqual([mail]);
  } finally {
    await fixture.close();
    await mailServer.close();
  }
}, 60_000);
