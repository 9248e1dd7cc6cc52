import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeEmail } from "../../apps/server/features/mail/email.ts";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { type MailServer, openMailServer } from "../support/mail-server.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

const dayMs = 24 * 60 * 60 * 1000;

describe.each(databases)("mail on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  let mailServer: MailServer;
  let secondNode: ServerProcess | null = null;
  beforeAll(async () => {
    mailServer = await openMailServer({ user: "countersign", password: "hush-hush" });
    const settings = {
      COUNTERSIGN_URL: "https://license.example.com",
      COUNTERSIGN_SMTP_URL: mailServer.url,
      COUNTERSIGN_MAIL_FROM: "Countersign <license@example.com>",
    };
    fixture = await openManageFixture(make, settings);
    // Two servers share one PostgreSQL database, and both poll the outbox.
    if (kind === "postgres")
      secondNode = await startServerProcess({ ...fixture.database.environment, ...settings });
  });
  afterAll(async () => {
    await secondNode?.stop();
    await fixture.close();
    await mailServer.close();
  });

  const write = async (to: string, writtenAtMs = Date.now()) =>
    fixture.store.transaction((db) =>
      writeEmail(db, { to, subject: "Hello", text: "Words.", html: null, kind: "test" }, writtenAtMs),
    );
  const emailTo = async (recipient: string) => {
    const [message] = await openedEmails(fixture.store, { to: recipient });
    if (message === undefined) throw new Error(`Nobody wrote to ${recipient}.`);
    return message;
  };
  const address = () => `${newId()}@example.net`;
  const receivedBy = (recipient: string) => mailServer.received.filter((mail) => mail.to.includes(recipient));
  const tryAgainNow = (recipient: string) =>
    fixture.store.transaction((db) =>
      db
        .updateTable("outbox")
        .set({ next_attempt_at: Date.now() - 1 })
        .where("recipient", "=", recipient)
        .where("next_attempt_at", "is not", null)
        .execute(),
    );

  test("an invitation is sent soon, and then stored without its link", async () => {
    const role = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/roles`, {
      name: "Guest",
      permissions: [],
    });
    const to = address();
    const invited = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/invitations`, {
      email: to,
      role_id: role.body.id,
    });
    expect(invited.status).toBe(201);
    await until("the email is sent", async () => (await emailTo(to)).sent_at !== null);
    const [mail] = receivedBy(to);
    expect(mail?.from).toBe("license@example.com");
    expect(mail?.text).toContain("Subject: Invitation to join Acme");
    expect(mail?.text).toContain("From: Countersign <license@example.com>");
    expect(mail?.text).toContain("Auto-Submitted: auto-generated");
    expect(mail?.text).toMatch(/multipart\/alternative[\s\S]*text\/plain[\s\S]*text\/html/);
    const token = /https:\/\/license\.example\.com\/invitations\/([\w-]{43})/.exec(mail?.text ?? "")?.[1];
    expect((await fixture.anonymous.get(`/invitations/${token}`)).body.email).toBe(to);
    const kept = await emailTo(to);
    expect(kept).toMatchObject({ attempts: 1, failure: null, next_attempt_at: null, body_html: null });
    expect(mail?.messageId).toBe(`<${kept.id}@license.example.com>`);
    expect(JSON.stringify(kept)).not.toContain(token ?? "no token");
  });

  test("each email is sent once, however many nodes poll the outbox", async () => {
    const recipients = Array.from({ length: 60 }, address);
    await Promise.all(recipients.map((recipient) => write(recipient)));
    const isSent = async (recipient: string) => (await emailTo(recipient)).sent_at !== null;
    await until("all are sent", async () => (await Promise.all(recipients.map(isSent))).every(Boolean));
    for (const recipient of recipients) expect(receivedBy(recipient)).toHaveLength(1);
  });

  test("an email that cannot be decrypted records a failure and delays no other", async () => {
    const [broken, whole] = [address(), address()];
    const nowMs = Date.now();
    await fixture.store.transaction(async (db) => {
      for (const to of [broken, whole])
        await writeEmail(
          db,
          { to, subject: "Hello", text: "Words.", html: null, kind: "test" },
          nowMs - (to === broken ? 10 : 0),
        );
      await db
        .updateTable("outbox")
        .set({ sealed_body: `v1.${"A".repeat(64)}` })
        .where("recipient", "=", broken)
        .execute();
    });
    await until("the other is sent", async () => (await emailTo(whole)).sent_at !== null);
    await until("it failed", async () => {
      const row = await fixture.store.reads
        .selectFrom("outbox")
        .select("failure")
        .where("recipient", "=", broken)
        .executeTakeFirstOrThrow();
      return row.failure !== null;
    });
    expect(receivedBy(broken)).toEqual([]);
  });

  test("a failed email records the reason and is retried with increasing delays until it is sent", async () => {
    const to = address();
    mailServer.verdict = (recipient) => (recipient === to ? 451 : "take");
    await write(to);
    await until("it failed", async () => (await emailTo(to)).failure !== null);
    const once = await emailTo(to);
    expect(once).toMatchObject({ sent_at: null, attempts: 1, body_text: "Words." });
    expect(JSON.parse(once.failure ?? "")).toEqual({
      code: "email_rejected",
      params: { response: expect.stringContaining("451") },
    });
    expect((once.next_attempt_at ?? 0) - Date.now()).toBeWithin(0, 6_000);
    await tryAgainNow(to);
    await until("it failed again", async () => (await emailTo(to)).attempts === 2);
    await until(
      "the next attempt is scheduled",
      async () => ((await emailTo(to)).next_attempt_at ?? 0) < Date.now() + 60_000,
    );
    expect(((await emailTo(to)).next_attempt_at ?? 0) - Date.now()).toBeGreaterThan(10_000);
    mailServer.verdict = () => "take";
    await tryAgainNow(to);
    await until("it is sent", async () => (await emailTo(to)).sent_at !== null);
    expect(receivedBy(to)).toHaveLength(1);
    expect((await emailTo(to)).failure).toBeNull();
  });

  test("an email that the mail server rejects permanently is given up immediately", async () => {
    const to = address();
    mailServer.verdict = (recipient) => (recipient === to ? 550 : "take");
    await write(to);
    await until("it is given up", async () => (await emailTo(to)).next_attempt_at === null);
    mailServer.verdict = () => "take";
    const kept = await emailTo(to);
    expect(kept).toMatchObject({ sent_at: null, attempts: 1 });
    expect(JSON.parse(kept.failure ?? "")).toEqual({
      code: "email_rejected",
      params: { response: expect.stringContaining("550") },
    });
  });

  test("an email that hangs does not delay the others", async () => {
    const slow = address();
    mailServer.verdict = (recipient) => (recipient === slow ? "hang" : "take");
    await write(slow);
    await until("it is being sent", async () => (await emailTo(slow)).attempts === 1);
    const quick = address();
    await write(quick);
    await until("the other is sent", async () => (await emailTo(quick)).sent_at !== null, 10_000);
    expect((await emailTo(slow)).sent_at).toBeNull();
    mailServer.verdict = () => "take";
  });

  test("an email that is days old is not sent", async () => {
    const old = address();
    const fresh = address();
    await write(old, Date.now() - 2 * dayMs);
    await write(fresh);
    await until("the new email is sent", async () => (await emailTo(fresh)).sent_at !== null);
    expect((await emailTo(old)).attempts).toBe(0);
    expect(receivedBy(old)).toHaveLength(0);
  });

  test("emails are kept without a mail server, and a wrong password is reported without revealing it", async () => {
    const kept = await openManageFixture(make);
    const wrong = await openManageFixture(make, {
      COUNTERSIGN_SMTP_URL: `smtp://countersign:guessed-wrong@127.0.0.1:${mailServer.port}`,
      COUNTERSIGN_MAIL_FROM: "license@example.com",
    });
    try {
      const to = address();
      for (const { store } of [kept, wrong]) {
        await store.transaction((db) =>
          writeEmail(db, { to, subject: "Hello", text: "Words.", html: null, kind: "test" }, Date.now()),
        );
      }
      const read = async (from: ManageFixture) => {
        const [message] = await openedEmails(from.store);
        if (message === undefined) throw new Error("The outbox is empty.");
        return message;
      };
      await until("it failed", async () => (await read(wrong)).failure !== null);
      const failed = await read(wrong);
      expect(JSON.parse(failed.failure ?? "").code).toBe("mail_sign_in_refused");
      expect(failed.failure).not.toContain("guessed-wrong");
      expect(failed.next_attempt_at).not.toBeNull();
      expect(wrong.server.output()).not.toContain("guessed-wrong");
      expect(await read(kept)).toMatchObject({
        sent_at: null,
        failure: null,
        attempts: 0,
        body_text: "Words.",
      });
    } finally {
      await kept.close();
      await wrong.close();
    }
  });

  test("a server stops without waiting for a mail server that hangs", async () => {
    const hanging = await openMailServer();
    hanging.verdict = () => "hang";
    const other = await openManageFixture(make, {
      COUNTERSIGN_SMTP_URL: hanging.url,
      COUNTERSIGN_MAIL_FROM: "license@example.com",
    });
    await other.store.transaction((db) =>
      writeEmail(db, { to: address(), subject: "A", text: "B", html: null, kind: "test" }, Date.now()),
    );
    const isBeingSent = async () =>
      (await other.store.reads.selectFrom("outbox").select("attempts").executeTakeFirstOrThrow()).attempts >
      0;
    await until("it is being sent", isBeingSent);
    const startMs = performance.now();
    await other.close();
    expect(performance.now() - startMs).toBeLessThan(10_000);
    await hanging.close();
  });
});
