import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { addTransfer } from "@countersign/store/queries/transfers/transfers";
import { readConfig } from "../../apps/server/base/config.ts";
import { waitingEmailsJob } from "../../apps/server/features/mail/waiting-emails.ts";
import { transferReminders } from "../../apps/server/features/transfers/remind.ts";
import { problemOf } from "../support/answers.ts";
import { openedEmails } from "../support/emails.ts";
import { refusal } from "../support/licenses.ts";
import type { SignedInClient } from "../support/portal-client.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { openTransferSeller, someoneNew } from "../support/transfer-fixture.ts";
import { transferRow } from "../support/transfer-row.ts";

testsOn("sqlite", "requests for transfers", openTransferSeller, (seller) => {
  const receivedBy = async (licenseId: string) => (await seller.owner.api.get(`/licenses/${licenseId}`)).body;

  test("a request for a transfer names one recipient, and a message of at most 1,000 characters", async () => {
    const license = await seller.sold(seller.review);
    const email = "a@example.com";
    for (const [field, body] of [
      ["discord_id", { email, discord_id: "123456789012345678" }],
      ["email", {}],
      ["email", { email: "nobody" }],
      ["email", { email: "a\u0000@example.com" }],
      ["message", { email, message: "x".repeat(1_001) }],
      ["message", { email, message: "a\ud800b" }],
      ["extra", { email, extra: "x" }],
    ] as const)
      expect(refusal(await seller.request(license, body))).toEqual([422, field]);
    expect(await seller.states(license.id)).toEqual([]);
    for (const [message, stored] of [
      ["😀".repeat(500), "😀".repeat(500)],
      ["   ", null],
    ]) {
      const id = await seller.requested(license, { email, message });
      expect((await seller.shown(id)).message).toBe(stored);
      await seller.reject(id);
    }
  });

  test("the recipient of a transfer is not the customer who has the license, in any letter case", async () => {
    const license = await seller.sold(seller.review);
    const own = String(Date.now());
    const { id } = await seller.sold(seller.review, { customer_email: null, customer_discord_id: own });
    const customer = await seller.signedIn({ discordIds: [own] });
    for (const [at, field, value] of [
      [license, "email", license.email],
      [license, "email", ` ${license.email.toUpperCase()} `],
      [{ id, customer }, "discord_id", own],
    ] as const) {
      const { status, body } = await seller.request(at, { [field]: value });
      expect([status, body.errors[0]]).toMatchObject([422, { field, code: "already_holder" }]);
    }
  });

  test("the recipient of a transfer can be another identity of the same person, to whom it still belongs", async () => {
    const [email, own] = [someoneNew(), `9${Date.now()}`];
    const { id } = await seller.sold(seller.automatic, { customer_email: email });
    const customer = await seller.signedIn({ emails: [email], discordIds: [own] });
    for (const body of [{ discord_id: own }, { email }])
      expect((await seller.request({ id, customer }, body)).body.state).toBe("approved");
  });

  test("a recipient who is known keeps the record that the organization wrote, whatever the letter case", async () => {
    const license = await seller.sold(seller.review);
    const grace = await seller.sold(seller.review, { customer_name: "Grace Hopper" });
    const id = await seller.requested(license, { email: grace.email.toUpperCase() });
    const known = { global_customer_id: grace.customerId, customer_name: "Grace Hopper" };
    expect((await seller.shown(id)).to).toMatchObject(known);
    await seller.approve(id);
    expect(await receivedBy(license.id)).toMatchObject({ ...known, customer_email: grace.email });
  });

  test("a recipient known only by a Discord ID gets the license and no email", async () => {
    const license = await seller.sold(seller.review);
    const theirs = `8${Date.now()}`;
    const emails = async () => (await openedEmails(seller.store, { kind: "license_received" })).length;
    const before = await emails();
    await seller.approve(await seller.requested(license, { discord_id: theirs }));
    const expected = { customer_email: null, customer_discord_id: theirs };
    expect(await receivedBy(license.id)).toMatchObject(expected);
    expect(await emails()).toBe(before);
    const customer = await seller.signedIn({ discordIds: [theirs] });
    await seller.requested({ id: license.id, customer });
  });

  test("an automatic approval transfers the license with the request, also on and back, each time with another key", async () => {
    const license = await seller.sold(seller.automatic);
    const [grace, joan] = [someoneNew(), someoneNew()];
    const keys = new Set([license.key]);
    const move = async (customer: SignedInClient, email: string) => {
      const { body } = await seller.request({ id: license.id, customer }, { email });
      keys.add(String((await seller.row(license.id))?.license_key));
      return seller.shown(body.id);
    };
    expect(await move(license.customer, grace)).toMatchObject({
      state: "approved",
      review_reason: null,
      decided_by: "system",
      decided_by_name: null,
    });
    const events = ["license.transfer_requested", "license.transferred"] as const;
    expect((await seller.types(license.id)).slice(1)).toEqual([...events]);
    const byAda = (action: string) => ({ action, actor: "customer", name: "Ada" });
    expect(await seller.audited(license.id)).toEqual(events.map(byAda));
    expect((await license.customer.get("/transfers")).body.data).toMatchObject([{ state: "approved" }]);
    const emails = await openedEmails(seller.store, { to: license.email });
    expect(emails.map(({ kind }) => kind)).toEqual(["transfer_completed"]);
    await move(await seller.signedIn(grace), joan);
    await move(await seller.signedIn(joan), license.email);
    expect(keys.size).toBe(4);
    const ada = { global_customer_id: license.customerId, customer_name: "Ada" };
    expect(await receivedBy(license.id)).toMatchObject(ada);
  });

  test("an automatic approval waits for review within the cooldown after creation and after a transfer", async () => {
    const productId = await seller.product({ transfers: "automatic", transfer_cooldown_days: 7 });
    const license = await seller.sold(productId);
    const early = await seller.requested(license);
    expect((await seller.shown(early)).review_reason).toBe("cooldown");
    await seller.reject(early);
    await seller.change("licenses", { id: license.id }, { created_at: Date.now() - 8 * dayMs });
    const email = someoneNew();
    expect((await seller.request(license, { email })).body.state).toBe("approved");
    const customer = await seller.signedIn(email);
    const second = await seller.requested({ id: license.id, customer });
    expect((await seller.shown(second)).review_reason).toBe("cooldown");
  });

  test("an automatic approval never happens if the organization blocks IP addresses of the recipient", async () => {
    const { organizationId } = seller;
    const [license, grace] = [await seller.sold(seller.automatic), await seller.sold(seller.automatic)];
    const scope = { tier: "customer", organizationId, customerId: grace.customerId } as const;
    const block = { id: newId(), cidr: "127.0.0.1/32", note: null, scope, expiresAtMs: null };
    await seller.store.transaction((db) => addIpBlocks(db, [block], Date.now()));
    const id = await seller.requested(license, { email: grace.email });
    expect(await seller.shown(id)).toMatchObject({ review_reason: "target_blocked", target_blocked: true });
  });

  test("a license accepts one request at a time, once for each idempotency key, and five within a day", async () => {
    const license = await seller.sold(seller.review);
    const of = { organization_id: seller.organizationId, product_id: seller.review, license_id: license.id };
    const cancelled = { ...of, state: "cancelled", requested_at: Date.now() - dayMs / 24 } as const;
    for (let count = 0; count < 4; count++)
      await seller.store.transaction((db) => addTransfer(db, transferRow(cancelled)));
    const headers = { "idempotency-key": newId() };
    const body = { email: someoneNew() };
    const post = () => license.customer.post(`/licenses/${license.id}/transfers`, body, headers);
    const first = await post();
    const again = await post();
    expect([again.headers.get("idempotent-replayed"), again.text]).toEqual(["true", first.text]);
    expect(problemOf(await seller.request(license))).toEqual([409, "transfer_pending"]);
    await seller.reject(first.body.id);
    const sixth = await seller.request(license);
    expect(sixth.body).toMatchObject({ status: 429, code: "transfer_limit_reached", params: { limit: 5 } });
    expect(Number(sixth.headers.get("retry-after"))).toBeWithin(82_000, 82_801);
  });

  const emailsTo = (to: string | string[]) => openedEmails(seller.store, { to });

  test("emails go to both sides, without the key, in the name that customers know, and replies go to its support", async () => {
    const other = await seller.another();
    const license = await other.sold(await other.product());
    const email = someoneNew();
    const brand = { display_name: "Studio Nine", support_email: "help@example.com" };
    await other.owner.api.patch(`/organizations/${other.organizationId}/branding`, brand);
    await other.reject(await other.requested(license, { email }));
    const id = await other.requested(license, { email });
    expect(await emailsTo(email)).toEqual([]);
    await other.approve(id);
    const emails = await emailsTo([license.email, email]);
    const texts = new Map(emails.map(({ kind, body_text: text }) => [kind, text]));
    expect(emails.map(({ kind }) => kind).sort()).toEqual([
      "license_received",
      "transfer_completed",
      "transfer_rejected",
      "transfer_requested",
      "transfer_requested",
    ]);
    for (const text of [email, "If this wasn't you", "/portal?seller="])
      expect(texts.get("transfer_requested")).toContain(text);
    const received = "A Studio license from Studio Nine was transferred to you.";
    expect(texts.get("license_received")).toContain(received);
    expect(texts.get("transfer_completed")).toContain(`now belongs to ${email}`);
    const keys = [license.key, String((await other.row(license.id))?.license_key)];
    for (const { reply_to, body_text, body_html } of emails) {
      expect(reply_to).toBe("help@example.com");
      expect(body_text).toContain("Studio Nine");
      for (const hidden of ["Seller", ...keys]) expect(`${body_text}${body_html}`).not.toContain(hidden);
    }
  });

  test("emails that wait for the daily limit are sent once to who has the license then, and never the key of the former customer", async () => {
    const other = await seller.another();
    const setLimit = (daily_emails_override: number) =>
      seller.change("organizations", { id: other.organizationId }, { daily_emails_override });
    await setLimit(0);
    const product = await other.product({ transfers: "automatic", deliver_license_by_email: true });
    const [kept, movedOn] = [await other.sold(product), await other.sold(product)];
    const [grace, joan, later] = [someoneNew(), someoneNew(), someoneNew()];
    await other.request(kept, { email: grace });
    await other.request(movedOn, { email: joan });
    await other.request({ id: movedOn.id, customer: await other.signedIn(joan) }, { email: later });
    const sent = async () =>
      (await emailsTo([grace, joan, later])).map(({ recipient, kind }) => `${kind} to ${recipient}`).sort();
    // Written at once, because someone who lost a license should know.
    const toJoan = `transfer_completed to ${joan}`;
    expect(await sent()).toEqual([toJoan]);
    await setLimit(100);
    const config = readConfig({ COUNTERSIGN_DAILY_EMAILS: "100" });
    for (let times = 0; times < 2; times++) {
      await waitingEmailsJob(seller.store, config).run();
      const received = [grace, later].map((recipient) => `license_received to ${recipient}`);
      expect(await sent()).toEqual([...received.sort(), toJoan]);
    }
  });

  test("the owner gets an email once a day while requests wait", async () => {
    const other = await seller.another();
    const product = await other.product();
    const ids: string[] = [];
    for (let count = 0; count < 2; count++) ids.push(await other.requested(await other.sold(product)));
    const waiting = async () =>
      (await emailsTo(other.owner.email)).map(
        ({ body_text: text }) => /Requests waiting: \d+/.exec(text)?.[0],
      );
    const remind = (days: number) => {
      const clock = async () => Date.now() + days * dayMs;
      return transferReminders(seller.store, seller.url, clock).run();
    };
    expect(await waiting()).toEqual(["Requests waiting: 1"]);
    await remind(0);
    expect(await waiting()).toHaveLength(1);
    await remind(1);
    await remind(1);
    expect(await waiting()).toEqual(["Requests waiting: 1", "Requests waiting: 2"]);
    await remind(31);
    for (const id of ids) await other.reject(id);
    await remind(2);
    expect(await waiting()).toHaveLength(2);
  });
});
