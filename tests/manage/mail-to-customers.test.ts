import { expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { problemOf } from "../support/answers.ts";
import { postgres } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { openKillableServer } from "../support/killable-server.ts";
import { csvFile, importFile } from "../support/license-files.ts";
import { refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

const delivered = { deliver_license_by_email: true };

testsOn("postgres", "emails to customers", openManageFixture, (fixture) => {
  const addProduct = async (settings: object = delivered, at = fixture) => {
    const product = { name: "Acme Backup", ...settings };
    return (await at.owner.api.post(`/organizations/${at.organizationId}/products`, product)).body;
  };
  const create = (productId: string, body: object, headers = {}) =>
    fixture.owner.api.post(`/products/${productId}/licenses`, body, headers);
  const emailsTo = (recipient: string, { store } = fixture) => openedEmails(store, { to: recipient });
  const address = () => `${newId()}@example.net`;
  const licenseCount = async (productId: string) =>
    (await fixture.stored("licenses", { product_id: productId })).length;
  const keyed = (count: number, to: string) =>
    Array.from({ length: count }, (_, index) => ({
      customer_email: to,
      license_key: `BATCH-${to.slice(0, 13)}-${index}`,
    }));

  test("a license sends no email unless the product enables it", async () => {
    const product = await addProduct({});
    const off = { deliver_license_by_email: false, license_email_text: null, expiring_soon_email: false };
    expect(product).toMatchObject(off);
    const to = address();
    await create(product.id, { customer_email: to });
    expect(await emailsTo(to)).toEqual([]);
  });

  test("the customer gets the key once, in the organization's language and with the custom text", async () => {
    const path = `/organizations/${fixture.organizationId}`;
    expect((await fixture.owner.api.patch(path, { locale: "x" })).status).toBe(422);
    expect((await fixture.owner.api.patch(path, { locale: "de" })).body.locale).toBe("de");
    const { id } = await addProduct({ ...delivered, license_email_text: "Danke, <b>Ada</b>!\n\nBis bald." });
    const to = address();
    const body = { customer_email: to, expires_at: "2031-01-02T03:04:05Z" };
    const { body: license } = await create(id, body, { "idempotency-key": to });
    expect((await create(id, body, { "idempotency-key": to })).body.id).toBe(license.id);
    await fixture.owner.api.patch(path, { locale: "en" });
    const [message, ...others] = await emailsTo(to);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ kind: "license_delivery", subject: "Deine Lizenz für Acme Backup" });
    for (const part of [license.license_key, "Acme Backup", "bis 2. Januar 2031 um 03:04 UTC", "Bis bald."]) {
      expect(message?.body_text).toContain(part);
      expect(message?.body_html).toContain(part);
    }
    expect(message?.body_html).not.toContain("<b>Ada");
  });

  test("a product can have its own language", async () => {
    const { id, locale } = await addProduct({ ...delivered, locale: "es" });
    expect(locale).toBe("es");
    const wrong = await fixture.owner.api.patch(`/products/${id}`, { locale: "fr" });
    expect(refusal(wrong)).toEqual([422, "locale"]);
    const to = address();
    await create(id, { customer_email: to });
    expect((await fixture.owner.api.patch(`/products/${id}`, { locale: null })).body.locale).toBeNull();
    await create(id, { customer_email: to });
    const subjects = (await emailsTo(to)).map((message) => message.subject);
    expect(subjects).toEqual(["Tu licencia de Acme Backup", "Your Acme Backup license"]);
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
    const licenses = [
      { customer_email: ada },
      { customer_email: ada, is_lifetime: true },
      { customer_email: grace },
      { customer_discord_id: "123456789012345678" },
    ];
    expect((await create(id, { licenses })).body.data).toHaveLength(4);
    expect([await emailsTo(ada), await emailsTo(grace)].map((emails) => emails.length)).toEqual([2, 1]);
  });

  test("a small batch that fails sends none", async () => {
    const { id } = await addProduct();
    const to = address();
    const licenses = keyed(20, to);
    await addLicense(fixture, { productId: id, key: licenses.at(-1)?.license_key ?? "" });
    expect((await create(id, { licenses })).status).toBe(409);
    expect(await emailsTo(to)).toEqual([]);
  });

  test("a large batch that is rolled back because a key was taken in the meantime sends none", async () => {
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

  test("an import sends none, with or without events, whether it succeeds or is rolled back", async () => {
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

  test("each is written once when the server is killed in between and the request is repeated", async () => {
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
