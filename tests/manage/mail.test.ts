import { expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import type { TestedDatabase } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { refusal } from "../support/licenses.ts";
import { openMailServer } from "../support/mail-server.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

/** With a license that expires in a day, of which its customer is to be warned. */
async function openWithMailServer(make: TestedDatabase["make"]) {
  const mailServer = await openMailServer({ user: "countersign", password: "hush-hush" });
  const environment = {
    COUNTERSIGN_URL: "https://license.example.com",
    COUNTERSIGN_SMTP_URL: mailServer.url,
    COUNTERSIGN_MAIL_FROM: "Countersign <license@example.com>",
  };
  const fixture = await openManageFixture(make, { why: "has a mail server", environment });
  const products = `/organizations/${fixture.organizationId}/products`;
  const short = { name: "Short", expiring_soon_days: 1, expiring_soon_email: true };
  const { body: product } = await fixture.owner.api.post(products, short);
  const email = `${newId()}@example.net`;
  const times = { productId: String(product.id), expiresAtMs: Date.now() + 86_400_000 };
  const expiring = { email, ...(await addLicense(fixture, { ...times, customer: { email } })) };
  const close = async () => {
    await fixture.close();
    await mailServer.close();
  };
  return { ...fixture, mailServer, expiring, close };
}

testsOn("sqlite", "a server with a mail server", openWithMailServer, (fixture) => {
  test("an invitation is sent soon, and then stored without its link", async () => {
    const organization = `/organizations/${fixture.organizationId}`;
    const role = await fixture.owner.api.post(`${organization}/roles`, { name: "Guest", permissions: [] });
    const to = `${newId()}@example.net`;
    const invitation = { email: to, role_id: role.body.id };
    expect((await fixture.owner.api.post(`${organization}/invitations`, invitation)).status).toBe(201);
    const mail = await fixture.mailServer.arrival(to);
    const stored = async () => (await openedEmails(fixture.store, { to }))[0];
    await until("it is recorded as sent", async () => (await stored())?.sent_at != null);
    expect(mail.text).toContain("Subject: Invitation to join Acme");
    const token = /https:\/\/license\.example\.com\/invitations\/([\w-]{43})/.exec(mail.text)?.[1];
    expect((await fixture.anonymous.get(`/invitations/${token}`)).body.email).toBe(to);
    expect(mail.messageId).toBe(`<${(await stored())?.id}@license.example.com>`);
    expect(JSON.stringify(await stored())).not.toContain(token ?? "no token");
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

  // The check runs every ten seconds, also while the other tests run.
  test("an expiry is recorded, and its email is sent, without any request", async () => {
    const mail = await fixture.mailServer.arrival(fixture.expiring.email);
    const { body } = await fixture.owner.api.get(`/licenses/${fixture.expiring.id}/events`);
    expect(body.data).toMatchObject([{ type: "license.expiring_soon" }]);
    expect(mail.text).toContain(fixture.expiring.key);
    const toCustomer = fixture.mailServer.received.filter(({ to }) => to.includes(fixture.expiring.email));
    expect(toCustomer).toEqual([mail]);
  });
});
