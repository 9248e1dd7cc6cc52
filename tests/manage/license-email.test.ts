import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { on } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

describe.each(on("postgres"))("the email with a license key on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    // The mail server is down, so that emails stay in the outbox.
    fixture = await openManageFixture(make, {
      why: "has a mail server and a limit of emails",
      environment: {
        COUNTERSIGN_SMTP_URL: "smtp://127.0.0.1:1",
        COUNTERSIGN_MAIL_FROM: "license@example.com",
        COUNTERSIGN_DAILY_EMAILS: "3",
      },
    });
  });
  afterAll(() => fixture.close());

  /** A license in its own organization, so that no other emails are counted. */
  const license = async (body: object = {}, settings: object = {}) => {
    const owner = await fixture.person();
    const { body: organization } = await owner.api.post("/organizations", { name: "Post & Co" });
    const { body: product } = await owner.api.post(`/organizations/${organization.id}/products`, {
      name: "Tool",
      ...settings,
    });
    const to = `${newId()}@example.net`;
    const made = await owner.api.post(`/products/${product.id}/licenses`, { customer_email: to, ...body });
    const path = `/licenses/${made.body.id}`;
    return { owner, organizationId: String(organization.id), to, key: made.body.license_key, path };
  };
  // Does what the mailer would do. One second ago, because the database's clock may be slightly behind.
  const sendAll = (to: string, at = Date.now() - 1_000) =>
    fixture.store.transaction((db) =>
      db
        .updateTable("outbox")
        .set({ sent_at: at, created_at: at, next_attempt_at: null, sealed_body: null })
        .where("recipient", "=", to)
        .execute(),
    );
  const anHourAgo = () => Date.now() - 3_600_000;

  test("is sent on request even if the product does not send it, and shows when it was sent", async () => {
    const { owner, to, key, path } = await license();
    const before = await owner.api.get(`${path}/email`);
    expect(before.body).toMatchObject({ state: "none", recipient: to, written_at: null, sent_at: null });
    expect(before.body.text).toContain(key);
    expect(before.body.subject).toContain("Tool");
    const sent = await owner.api.post(`${path}/email`);
    expect([sent.status, sent.body.state]).toEqual([200, "queued"]);
    const [message] = await openedEmails(fixture.store, { to });
    expect(message).toMatchObject({ kind: "license_delivery", is_bulk: 0 });
    expect(message?.body_text).toBe(before.body.text);
    await sendAll(to);
    expect((await owner.api.get(`${path}/email`)).body).toMatchObject({
      state: "sent",
      sent_at: expect.any(String),
    });
    const entries = await fixture.store.reads
      .selectFrom("audit_log")
      .select(["action", "actor_id"])
      .where("subject_id", "=", path.split("/").at(-1) ?? "")
      .orderBy("id")
      .execute();
    expect(entries.at(-1)).toEqual({ action: "license.email_sent", actor_id: owner.userId });
  });

  test("is sent again at most once a minute, and never while one is queued, even by concurrent requests", async () => {
    const { owner, to, path } = await license({}, { deliver_license_by_email: true });
    expect((await owner.api.post(`${path}/email`)).status).toBe(409);
    await sendAll(to);
    const early = await owner.api.post(`${path}/email`);
    expect(early.status).toBe(429);
    expect(Number(early.headers.get("retry-after"))).toBeWithin(1, 61);
    await sendAll(to, anHourAgo());
    const answers = await Promise.all(Array.from({ length: 5 }, () => owner.api.post(`${path}/email`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await openedEmails(fixture.store, { to })).toHaveLength(2);
  });

  test("counts towards the daily limit and is refused beyond it", async () => {
    const { owner, organizationId, to, path } = await license();
    for (let time = 0; time < 3; time++) {
      expect((await owner.api.post(`${path}/email`)).status).toBe(200);
      await sendAll(to, anHourAgo());
    }
    const refused = await owner.api.post(`${path}/email`);
    expect([refused.status, refused.body.code]).toEqual([429, "license_email_limit_reached"]);
    const used = await fixture.store.reads
      .selectFrom("daily_emails")
      .select("used")
      .where("sender_id", "=", organizationId)
      .executeTakeFirst();
    expect(Number(used?.used)).toBe(3);
  });

  test("is not sent without an email address, nor for a revoked license", async () => {
    const anonymous = await license({ customer_email: undefined, customer_discord_id: "123456789012345678" });
    expect((await anonymous.owner.api.get(`${anonymous.path}/email`)).body).toMatchObject({
      state: "none",
      recipient: null,
      text: null,
    });
    expect((await anonymous.owner.api.post(`${anonymous.path}/email`)).status).toBe(409);
    const revoked = await license();
    await revoked.owner.api.post(`${revoked.path}/revoke`, {});
    expect((await revoked.owner.api.post(`${revoked.path}/email`)).status).toBe(409);
    expect(await openedEmails(fixture.store, { to: revoked.to })).toEqual([]);
  });

  const rejected = { code: "email_rejected", params: { response: "550 No such user" } };

  test("shows over_limit while it waits for the next day, and failed when it was given up", async () => {
    const { owner, to, path } = await license({}, { deliver_license_by_email: true });
    await fixture.store.transaction((db) =>
      db
        .updateTable("outbox")
        .set({ next_attempt_at: null, failure: JSON.stringify(rejected) })
        .where("recipient", "=", to)
        .execute(),
    );
    expect((await owner.api.get(`${path}/email`)).body).toMatchObject({
      state: "failed",
      failure: {
        ...rejected,
        message: "The mail server rejected the email: 550 No such user",
      },
    });
    const { body: product } = await owner.api.get(`${path}`);
    const many = await owner.api.post(`/products/${product.product_id}/licenses`, {
      customer_email: to,
      count: 3,
    });
    const states = [];
    for (const { id } of many.body.data)
      states.push((await owner.api.get(`/licenses/${id}/email`)).body.state);
    expect(states.sort()).toEqual(["over_limit", "queued", "queued"]);
  });
});
