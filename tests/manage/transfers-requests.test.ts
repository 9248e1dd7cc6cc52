import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { readConfig } from "../../apps/server/config.ts";
import { WaitingEmails } from "../../apps/server/features/mail/waiting-emails.ts";
import { TransferReminders } from "../../apps/server/features/transfers/remind.ts";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import type { SignedInClient } from "../support/portal-client.ts";
import { newId } from "../support/test-organization.ts";
import { openTransferSeller, someoneNew, type TransferSeller } from "../support/transfer-fixture.ts";

setDefaultTimeout(60_000);

describe.each(on("sqlite"))("requests for transfers on $kind", ({ make }) => {
  let seller: TransferSeller;
  beforeAll(async () => {
    seller = await openTransferSeller(make);
  });
  afterAll(() => seller.close());

  const receivedBy = async (licenseId: string) => (await seller.owner.api.get(`/licenses/${licenseId}`)).body;

  const discordId = "123456789012345678";
  const refusedBodies: [string, object, string][] = [
    [
      "both an email address and a Discord ID",
      { email: "a@example.com", discord_id: discordId },
      "discord_id",
    ],
    ["neither", {}, "email"],
    ["no email address in it", { email: "nobody" }, "email"],
    ["a long message", { email: "a@example.com", message: "x".repeat(1_001) }, "message"],
    ["an unknown member", { email: "a@example.com", extra: "x" }, "extra"],
    ...["\u0000", "\ud800"].flatMap((odd): [string, object, string][] => [
      [`${JSON.stringify(odd)} in its message`, { email: "a@example.com", message: `a${odd}b` }, "message"],
      [`${JSON.stringify(odd)} in its email address`, { email: `a${odd}@example.com` }, "email"],
    ]),
  ];
  test.each(refusedBodies)("a request with %s is refused at the field", async (_, body, field) => {
    const license = await seller.sold(seller.review);
    const refused = await seller.request(license, body);
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, field]);
    expect(await seller.states(license.id)).toEqual([]);
  });

  test("a message has at most 1,000 characters, and an empty one counts as none", async () => {
    const license = await seller.sold(seller.review);
    for (const [message, stored] of [
      ["😀".repeat(500), "😀".repeat(500)],
      ["   ", null],
      [null, null],
    ]) {
      const id = await seller.requested(license, { email: someoneNew(), message });
      expect((await seller.shown(id)).message).toBe(stored);
      await seller.reject(id);
    }
  });

  test("the recipient is not the customer who has the license, in any letter case", async () => {
    const license = await seller.sold(seller.review);
    const own = String(Date.now());
    const byDiscord = await seller.sold(seller.review, { customer_email: null, customer_discord_id: own });
    const customer = await seller.signIn({ discordId: own });
    const refused = [
      [license, { email: license.email }],
      [license, { email: license.email.toUpperCase() }],
      [license, { email: ` ${license.email} ` }],
      [{ ...byDiscord, customer }, { discord_id: own }],
    ] as const;
    for (const [at, body] of refused) {
      const answer = await seller.request(at, body);
      const [field] = Object.keys(body);
      expect([answer.status, answer.body.errors[0]]).toMatchObject([422, { field, code: "already_holder" }]);
    }
  });

  test("the recipient can be another identity of the same person, to whom it still belongs", async () => {
    const [email, own] = [someoneNew(), `9${Date.now()}`];
    const license = await seller.sold(seller.automatic, { customer_email: email });
    const customer = await seller.signIn({ email, discordId: own });
    for (const body of [{ discord_id: own }, { email }])
      expect((await seller.request({ ...license, customer }, body)).body.state).toBe("approved");
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
    const customer = await seller.signIn({ discordId: theirs });
    expect((await seller.request({ ...license, customer })).status).toBe(201);
  });

  test("an automatic approval transfers the license with the request", async () => {
    const license = await seller.sold(seller.automatic);
    const email = someoneNew();
    const answer = await seller.request(license, { email });
    expect([answer.status, answer.body]).toMatchObject([201, { state: "approved", decided_by: "system" }]);
    expect((await receivedBy(license.id)).customer_email).toBe(email);
    const decision = { review_reason: null, decided_by: "system", decided_by_name: null };
    expect(await seller.shown(answer.body.id)).toMatchObject(decision);
    expect((await seller.types(license.id)).slice(1)).toEqual([
      "license.transfer_requested",
      "license.transferred",
    ]);
    expect(await seller.audited(license.id)).toEqual([
      { action: "license.transfer_requested", actor: "customer", name: "Ada" },
      { action: "license.transferred", actor: "customer", name: "Ada" },
    ]);
    expect((await license.customer.get("/transfers")).body.data).toMatchObject([{ state: "approved" }]);
    const emails = await openedEmails(seller.store, { to: license.email });
    expect(emails.map(({ kind }) => kind)).toEqual(["transfer_completed"]);
  });

  test("an automatic approval waits for review within the cooldown after creation and after a transfer", async () => {
    const productId = await seller.product({ transfers: "automatic", transfer_cooldown_days: 7 });
    const license = await seller.sold(productId);
    const early = await seller.requested(license);
    expect((await seller.shown(early)).review_reason).toBe("cooldown");
    await seller.reject(early);
    const createdAt = { created_at: Date.now() - 8 * dayMs };
    await seller.store.transaction((db) =>
      db.updateTable("licenses").set(createdAt).where("id", "=", license.id).execute(),
    );
    const email = someoneNew();
    expect((await seller.request(license, { email })).body.state).toBe("approved");
    const customer = await seller.signIn({ email });
    const second = await seller.requested({ ...license, customer });
    expect((await seller.shown(second)).review_reason).toBe("cooldown");
  });

  test("an automatic approval never happens if the organization blocks IP addresses of the recipient", async () => {
    const grace = await seller.sold(seller.automatic);
    const scope = {
      tier: "customer",
      organizationId: seller.organizationId,
      customerId: grace.customerId,
    } as const;
    const block = { id: newId(), cidr: "127.0.0.1/32", note: null, scope, expiresAtMs: null };
    await seller.store.transaction((db) => addIpBlocks(db, [block], Date.now()));
    const license = await seller.sold(seller.automatic);
    const id = await seller.requested(license, { email: grace.email });
    expect(await seller.shown(id)).toMatchObject({ review_reason: "target_blocked", target_blocked: true });
    await seller.approve(id);
    const { body } = await seller.owner.api.post(`/products/${seller.automatic}/api-keys`, { name: "Test" });
    const key = (await seller.row(license.id))?.license_key;
    const api = apiOf(seller.server.url, String(body.api_key ?? body.key));
    expect((await api.validate({ license_key: key })).body.status).toBe("ip_blocked");
  });

  test("a license is transferred twice in a row and back, each time with another key", async () => {
    const license = await seller.sold(seller.automatic);
    const [grace, joan] = [someoneNew(), someoneNew()];
    const keys = new Set([license.key]);
    const move = async (customer: SignedInClient, email: string) => {
      expect((await seller.request({ ...license, customer }, { email })).body.state).toBe("approved");
      keys.add(String((await seller.row(license.id))?.license_key));
    };
    await move(license.customer, grace);
    await move(await seller.signIn({ email: grace }), joan);
    await move(await seller.signIn({ email: joan }), license.email);
    expect(keys.size).toBe(4);
    expect((await seller.row(license.id))?.customer_id).toBe(license.customerId);
    expect((await receivedBy(license.id)).customer_name).toBe("Ada");
  });

  test("a request is refused while the product does not offer transfers, and while another one waits", async () => {
    const off = await seller.request(await seller.sold(await seller.product({ transfers: "off" })));
    expect([off.status, off.body.code]).toEqual([403, "transfers_not_offered"]);
    const license = await seller.sold(seller.review);
    await seller.requested(license);
    const second = await seller.request(license);
    expect([second.status, second.body.code]).toEqual([409, "transfer_pending"]);
  });

  test("a license accepts five requests within a day", async () => {
    const license = await seller.sold(seller.review);
    for (let count = 0; count < 5; count++)
      await license.customer.post(`/transfers/${await seller.requested(license)}/cancel`);
    const { status, body, headers } = await seller.request(license);
    expect([status, body.code, body.params]).toEqual([429, "transfer_limit_reached", { limit: 5 }]);
    expect(Number(headers.get("retry-after"))).toBeWithin(86_000, 86_401);
    await seller.store.transaction((db) =>
      db
        .updateTable("transfers")
        .set((row) => ({ requested_at: row("requested_at", "-", dayMs) }))
        .where("license_id", "=", license.id)
        .execute(),
    );
    await seller.requested(license);
  });

  test("a repeated request with an idempotency key is one request", async () => {
    const license = await seller.sold(seller.review);
    const body = { email: someoneNew() };
    const headers = { "idempotency-key": newId() };
    const post = () => license.customer.post(`/licenses/${license.id}/transfers`, body, headers);
    const first = await post();
    expect((await post()).body).toEqual(first.body);
    expect(await seller.states(license.id)).toEqual(["pending"]);
  });
});

describe.each(on("sqlite"))("emails about transfers on $kind", ({ make }) => {
  let seller: TransferSeller;
  beforeAll(async () => {
    seller = await openTransferSeller(make);
  });
  afterAll(() => seller.close());

  const emailsTo = (to: string | string[], kind?: string) =>
    openedEmails(seller.store, kind === undefined ? { to } : { to, kind });

  test("they go to the customer who has the license, and to the recipient without the key", async () => {
    const license = await seller.sold(seller.review);
    const email = someoneNew();
    const id = await seller.requested(license, { email });
    const [requested] = await emailsTo(license.email, "transfer_requested");
    for (const text of [email, "If this wasn't you", "/portal?seller="])
      expect(requested?.body_text).toContain(text);
    expect(await emailsTo(email)).toEqual([]);
    await seller.approve(id);
    const [received] = await emailsTo(email);
    expect(received).toMatchObject({ kind: "license_received" });
    expect(received?.body_text).toContain("A Studio license from Acme was transferred to you.");
    for (const secret of [String((await seller.row(license.id))?.license_key), license.key])
      expect(`${received?.body_text}${received?.body_html}`).not.toContain(secret);
    const [completed] = await emailsTo(license.email, "transfer_completed");
    expect(completed?.body_text).toContain(`now belongs to ${email}`);
  });

  test("they are in the name that customers know, and replies go to the organization's support", async () => {
    const other = await seller.another("Acme");
    const license = await other.sold(await other.product());
    const email = someoneNew();
    const brand = { display_name: "Studio Nine", support_email: "help@example.com" };
    await other.owner.api.patch(`/organizations/${other.organizationId}/branding`, brand);
    await other.reject(await other.requested(license, { email }));
    await other.approve(await other.requested(license, { email }));
    const emails = await emailsTo([license.email, email]);
    expect(emails.map(({ kind }) => kind).sort()).toEqual([
      "license_received",
      "transfer_completed",
      "transfer_rejected",
      "transfer_requested",
      "transfer_requested",
    ]);
    for (const message of emails) {
      expect(message.reply_to).toBe("help@example.com");
      expect(message.body_text).toContain("Studio Nine");
      expect(message.body_text + message.body_html).not.toContain("Acme");
    }
  });

  /** An organization that can send no emails before its limit is raised, and then sends those that wait. */
  const limitedSeller = async () => {
    const other = await seller.another("Limited");
    const setLimit = (daily: number) =>
      seller.store.transaction((db) =>
        db
          .updateTable("organizations")
          .set({ daily_emails_override: daily })
          .where("id", "=", other.organizationId)
          .execute(),
      );
    await setLimit(0);
    const config = readConfig({ COUNTERSIGN_DAILY_EMAILS: "100" });
    const sendWaiting = async () => {
      await setLimit(100);
      await new WaitingEmails(seller.store, config).run();
    };
    return { other, sendWaiting };
  };

  test("those to the recipient wait while the organization's daily limit is reached, and are sent once", async () => {
    const { other, sendWaiting } = await limitedSeller();
    const product = await other.product({ transfers: "automatic" });
    const [kept, movedOn] = [await other.sold(product), await other.sold(product)];
    const [grace, joan, later] = [someoneNew(), someoneNew(), someoneNew()];
    await other.request(kept, { email: grace });
    await other.request(movedOn, { email: joan });
    await other.request({ ...movedOn, customer: await other.signIn({ email: joan }) }, { email: later });
    const receivers = async () =>
      (await emailsTo([grace, joan, later], "license_received")).map(({ recipient }) => recipient).sort();
    expect(await receivers()).toEqual([]);
    // The one in between no longer has the license.
    for (let times = 0; times < 2; times++) {
      await sendWaiting();
      expect(await receivers()).toEqual([grace, later].sort());
    }
  });

  test("those with the key that wait for the former customer do not go to the recipient", async () => {
    const { other, sendWaiting } = await limitedSeller();
    const product = await other.product({ transfers: "automatic", deliver_license_by_email: true });
    const email = someoneNew();
    expect((await other.request(await other.sold(product), { email })).body.state).toBe("approved");
    await sendWaiting();
    expect((await emailsTo(email)).map(({ kind }) => kind)).toEqual(["license_received"]);
  });

  test("those to the owner are written once a day while requests wait", async () => {
    const other = await seller.another("Reminded");
    const product = await other.product();
    const ids: string[] = [];
    for (let count = 0; count < 2; count++) ids.push(await other.requested(await other.sold(product)));
    const waiting = async () =>
      (await emailsTo(other.owner.email, "transfers_waiting")).map(
        ({ body_text: text }) => /Requests waiting: \d+/.exec(text)?.[0],
      );
    const remind = (days: number) => {
      const clock = async () => Date.now() + days * dayMs;
      return new TransferReminders(seller.store, seller.server.url, clock).run();
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
