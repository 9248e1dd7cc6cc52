import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { addEmails } from "@countersign/store/queries/mail/outbox";
import type { OutboxRow, StoredEmailRow } from "@countersign/store/tables/platform";
import { emailRow, openedEmails } from "../../../../tests/support/emails.ts";
import { type MailServer, openMailServer } from "../../../../tests/support/mail-server.ts";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { until } from "../../../../tests/support/until.ts";
import { readConfig } from "../../base/config.ts";
import { createLog } from "../../base/log.ts";
import { emailsAtOnce, Mailer, smtpTransport } from "./mailer.ts";

onDatabase("postgres", "sending the emails of the outbox", (fixture) => {
  let mailServer: MailServer;
  let output = "";
  beforeAll(async () => {
    mailServer = await openMailServer();
  });
  afterAll(() => mailServer.close());
  beforeEach(async () => {
    mailServer.verdict = () => "take";
    await fixture.write((db) => db.deleteFrom("outbox").execute());
  });

  const newMailer = (smtpUrl = mailServer.url) => {
    const from = "Countersign <license@example.com>";
    const { mail } = readConfig({ COUNTERSIGN_SMTP_URL: smtpUrl, COUNTERSIGN_MAIL_FROM: from });
    if (mail === null) throw new Error("There is no mail server.");
    const write = (line: string) => {
      output += line;
    };
    const log = createLog({ level: "debug", pretty: false, now: Date.now, write });
    return new Mailer(fixture.store, smtpTransport(mail, "https://license.example.com", emailsAtOnce), log);
  };
  /** An email that is due. Returns whose it is. */
  const add = async (settings: Partial<OutboxRow> = {}): Promise<string> => {
    const email = emailRow({ recipient: `${newId()}@example.net`, ...settings });
    await fixture.write((db) => addEmails(db, [email]));
    return email.recipient;
  };
  const stored = async (recipient: string) => {
    const row = await fixture.row("outbox", { recipient });
    return { ...row, failure: JSON.parse(row.failure ?? "null") };
  };
  const change = async (recipient: string, changes: Partial<StoredEmailRow>) =>
    fixture.change("outbox", (await stored(recipient)).id, changes);
  const receivedBy = (recipient: string) => mailServer.received.filter((mail) => mail.to.includes(recipient));
  /** Runs a mailer until each of the emails was sent, or an attempt has failed. */
  const attempt = async (recipients: readonly string[], mailer = newMailer()) => {
    await mailer.run();
    await until("each email is sent or failed", async () => {
      const rows = await Promise.all(recipients.map(stored));
      return rows.every((row) => row.sent_at !== null || row.failure !== null);
    });
    await mailer.close();
  };

  test("an email is sent as text and as HTML with a Message-ID of its own, and then kept without its text", async () => {
    const to = await add({ body_html: "<p>Words.</p>", reply_to: "help@example.com" });
    await attempt([to]);
    const [mail] = receivedBy(to);
    const { id } = await stored(to);
    expect(mail).toMatchObject({ from: "license@example.com", messageId: `<${id}@license.example.com>` });
    for (const header of [
      "Subject: Hello",
      "From: Countersign <license@example.com>",
      "Reply-To: help@example.com",
      "Auto-Submitted: auto-generated",
    ])
      expect(mail?.text).toContain(header);
    expect(mail?.text).toMatch(/multipart\/alternative[\s\S]*text\/plain[\s\S]*text\/html/);
    expect(await openedEmails(fixture.store, { to })).toMatchObject([
      { attempts: 1, failure: null, next_attempt_at: null, body_text: "", body_html: null },
    ]);
  });

  test("an email that cannot be decrypted fails, and delays no other", async () => {
    const [broken, whole] = [await add({ next_attempt_at: 1 }), await add()];
    await change(broken, { sealed_body: `v1.${"A".repeat(64)}` });
    await attempt([broken, whole]);
    expect(receivedBy(whole)).toHaveLength(1);
    expect((await stored(broken)).failure.code).toBe("email_not_sent");
  });

  test.each([
    [451, "for now is sent later"],
    [550, "for good is given up immediately"],
  ])("an email that the mail server refuses with %i %s", async (code) => {
    const to = await add();
    mailServer.verdict = () => code;
    await attempt([to]);
    const { failure, next_attempt_at: nextMs, ...email } = await stored(to);
    expect(email).toMatchObject({ sent_at: null, attempts: 1 });
    const params = { response: expect.stringContaining(String(code)) };
    expect(failure).toEqual({ code: "email_rejected", params });
    if (code === 550) return expect(nextMs).toBeNull();
    expect((nextMs ?? 0) - Date.now()).toBeWithin(0, 6_000);
    mailServer.verdict = () => "take";
    await change(to, { failure: null, next_attempt_at: Date.now() - 1_000 });
    await attempt([to]);
    expect(receivedBy(to)).toHaveLength(1);
  });

  test("an email that is days old is not sent", async () => {
    const [old, fresh] = [await add({ created_at: Date.now() - 2 * dayMs }), await add()];
    await attempt([fresh]);
    expect((await stored(old)).attempts).toBe(0);
    expect(receivedBy(old)).toEqual([]);
  });

  test("a wrong password of the mail server is reported without revealing it, and the email is tried again", async () => {
    const to = await add();
    output = "";
    await attempt([to], newMailer(`smtp://countersign:guessed-wrong@127.0.0.1:${mailServer.port}`));
    const email = await stored(to);
    expect(email.failure.code).toBe("mail_sign_in_refused");
    expect(email.next_attempt_at).not.toBeNull();
    expect(output).toContain("Emails could not be sent");
    expect(output + JSON.stringify(email)).not.toContain("guessed-wrong");
  });

  test("an email that hangs delays neither the others nor the end of the server", async () => {
    const slow = await add({ next_attempt_at: 1 });
    mailServer.verdict = (recipient) => (recipient === slow ? "hang" : "take");
    const quick = await add();
    const mailer = newMailer();
    await mailer.run();
    await until("the other is sent", async () => (await stored(quick)).sent_at !== null);
    expect(await stored(slow)).toMatchObject({ attempts: 1, sent_at: null });
    // The mail server is given three seconds.
    await mailer.close();
  });
});
