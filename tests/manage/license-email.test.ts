import { expect, setDefaultTimeout, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { statusesAtOnce } from "../support/answers.ts";
import { auditOf } from "../support/audit-of.ts";
import type { TestedDatabase } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

/** The mail server is down, so that emails stay in the outbox. */
const openMailing = (make: TestedDatabase["make"]) =>
  openManageFixture(make, {
    why: "has a mail server and a limit of emails",
    environment: {
      COUNTERSIGN_SMTP_URL: "smtp://127.0.0.1:1",
      COUNTERSIGN_MAIL_FROM: "license@example.com",
      COUNTERSIGN_DAILY_EMAILS: "3",
    },
  });

testsOn("postgres", "emails with license keys", openMailing, (fixture) => {
  /** A license in its own organization, so that no other emails are counted. */
  const license = async (body: object = {}, settings: object = {}) => {
    const { api, userId } = await fixture.person();
    const { body: organization } = await api.post("/organizations", { name: "Post & Co" });
    const products = `/organizations/${organization.id}/products`;
    const { body: product } = await api.post(products, { name: "Tool", ...settings });
    const licenses = `/products/${product.id}/licenses`;
    const to = `${newId()}@example.net`;
    const { body: made } = await api.post(licenses, { customer_email: to, ...body });
    const path = `/licenses/${made.id}`;
    return {
      ...{ api, userId, organizationId: String(organization.id), licenses, to, path },
      ...{ id: String(made.id), key: String(made.license_key) },
      shown: async () => (await api.get(`${path}/email`)).body,
      send: () => api.post(`${path}/email`),
    };
  };
  // Does what the mailer would do. One second ago, because the database's clock may be slightly behind.
  const sendAll = (recipient: string, at = Date.now() - 1_000) => {
    const sent = { sent_at: at, created_at: at, next_attempt_at: null, sealed_body: null };
    return fixture.change("outbox", { recipient }, sent);
  };

  test("the license email is sent on request even if the product does not send it, and shows when it was sent", async () => {
    const { id, userId, to, key, shown, send } = await license();
    const { text, subject, ...before } = await shown();
    expect(before).toMatchObject({ state: "none", recipient: to, written_at: null, sent_at: null });
    expect([text, subject]).toEqual([expect.stringContaining(key), expect.stringContaining("Tool")]);
    expect(await send()).toMatchObject({ status: 200, body: { state: "queued" } });
    const email = { kind: "license_delivery", is_bulk: 0, body_text: text };
    expect(await openedEmails(fixture.store, { to })).toMatchObject([email]);
    await sendAll(to);
    expect(await shown()).toMatchObject({ state: "sent", sent_at: expect.any(String) });
    const last = (await auditOf(fixture, id)).at(-1);
    expect(last).toMatchObject({ action: "license.email_sent", actor_id: userId });
  });

  test("the license email is sent again at most once a minute, and never while one waits, even concurrently", async () => {
    const { to, send } = await license({}, { deliver_license_by_email: true });
    expect((await send()).status).toBe(409);
    await sendAll(to);
    const early = await send();
    expect(early.status).toBe(429);
    expect(Number(early.headers.get("retry-after"))).toBeWithin(1, 61);
    await sendAll(to, Date.now() - hourMs);
    expect(await statusesAtOnce(5, send)).toEqual([200, 409, 409, 409, 409]);
    expect(await openedEmails(fixture.store, { to })).toHaveLength(2);
  });

  test("the license email counts towards the daily limit and is refused beyond it", async () => {
    const { organizationId, to, send } = await license();
    for (let time = 0; time < 3; time++) {
      expect((await send()).status).toBe(200);
      await sendAll(to, Date.now() - hourMs);
    }
    const body = { code: "license_email_limit_reached" };
    expect(await send()).toMatchObject({ status: 429, body });
    const counted = await fixture.stored("daily_emails", { sender_id: organizationId });
    expect(counted).toMatchObject([{ used: 3 }]);
  });

  test("the license email is not sent without an email address, nor for a revoked license", async () => {
    const anonymous = await license({ customer_email: undefined, customer_discord_id: "123456789012345678" });
    expect(await anonymous.shown()).toMatchObject({ state: "none", recipient: null, text: null });
    expect((await anonymous.send()).status).toBe(409);
    const revoked = await license();
    await revoked.api.post(`${revoked.path}/revoke`, {});
    expect((await revoked.send()).status).toBe(409);
    expect(await openedEmails(fixture.store, { to: revoked.to })).toEqual([]);
  });

  test("the license email is over_limit while it waits for the next day, and failed when it was given up", async () => {
    const { api, to, licenses, shown } = await license({}, { deliver_license_by_email: true });
    const rejected = { code: "email_rejected", params: { response: "550 No such user" } };
    const given = { next_attempt_at: null, failure: JSON.stringify(rejected) };
    await fixture.change("outbox", { recipient: to }, given);
    const message = "The mail server refused the email: 550 No such user";
    expect(await shown()).toMatchObject({ state: "failed", failure: { ...rejected, message } });
    const { body: many } = await api.post(licenses, { customer_email: to, count: 3 });
    const states = [];
    for (const { id } of many.data) states.push((await api.get(`/licenses/${id}/email`)).body.state);
    expect(states.sort()).toEqual(["over_limit", "queued", "queued"]);
  });
});
