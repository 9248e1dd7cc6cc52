import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { revertRows } from "@countersign/store/queries/license-files/undo";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { removePortalPerson } from "@countersign/store/queries/portal/people";
import { readConfig } from "../../apps/server/config.ts";
import { WaitingEmails } from "../../apps/server/features/mail/waiting-emails.ts";
import { releaseTransfers } from "../../apps/server/features/transfers/end.ts";
import { TransferReminders } from "../../apps/server/features/transfers/remind.ts";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { addToken } from "../support/filled-organization.ts";
import { importFile } from "../support/license-files.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { portalEnvironment } from "../support/signed-in-customer.ts";
import { newId } from "../support/test-organization.ts";
import { type Sold, type TransferFixture, transferFixture } from "../support/transfer-fixture.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const dayMs = 86_400_000;

describe.each(databases)("license transfers on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let transfers: TransferFixture;
  let review: string;
  let automatic: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make, {
      ...portalEnvironment,
      COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1",
    });
    transfers = transferFixture(fixture);
    review = await transfers.product();
    automatic = await transfers.product({ transfers: "automatic" });
  });
  afterAll(() => fixture.close());

  const target = () => `grace-${newId()}@example.com`;
  const request = (license: Sold, body: object = {}) =>
    license.customer.post(`/licenses/${license.id}/transfers`, body);
  const requested = async (license: Sold, body: object = { email: target() }): Promise<string> => {
    const answer = await request(license, body);
    expect([answer.status, answer.body.code ?? answer.body.state]).toEqual([201, "pending"]);
    return answer.body.id;
  };
  const approve = (id: string) => fixture.owner.api.post(`/transfers/${id}/approve`);
  const reject = (id: string, reason = "Not now.") =>
    fixture.owner.api.post(`/transfers/${id}/reject`, { reason });
  const shown = async (id: string) => (await fixture.owner.api.get(`/transfers/${id}`)).body;

  test("a request waits, is shown to both sides, and changes nothing", async () => {
    const license = await transfers.sold(review);
    const email = target();
    const before = await transfers.row(license.id);
    const answer = await request(license, { email, message: " I sold my studio. " });
    expect(answer.body).toMatchObject({
      license_id: license.id,
      product_name: "Studio",
      seller_name: "Acme",
      state: "pending",
      to_email: email,
      to_discord_id: null,
      message: "I sold my studio.",
      decided_at: null,
      reason: null,
    });
    expect(await transfers.row(license.id)).toEqual(before);
    expect(await shown(answer.body.id)).toMatchObject({
      from: {
        global_customer_id: license.customerId,
        customer_email: license.email,
        customer_name: "Ada",
        customer_discord_id: null,
      },
      to: { global_customer_id: null, customer_email: email, customer_name: null, customer_discord_id: null },
      review_reason: "product_setting",
      state: "pending",
      license_exists: true,
      last_transferred_at: null,
      target_blocked: false,
      decided_by_name: null,
    });
    expect((await license.customer.get("/transfers")).body.data).toEqual([answer.body]);
    expect(await transfers.types(license.id)).toEqual(["license.created", "license.transfer_requested"]);
    expect(await transfers.audited(license.id)).toEqual([
      { action: "license.transfer_requested", actor: "customer", name: "Ada" },
    ]);
  });

  test("an approval gives the license to the recipient, with a new key and without IP addresses", async () => {
    const license = await transfers.sold(review, { notes: "VIP" });
    await fixture.store.transaction((db) => registerIp(db, license.id, "203.0.113.7", Date.now()));
    const email = target();
    const id = await requested(license, { email });
    const answer = await approve(id);
    expect(answer.body).toMatchObject({
      state: "approved",
      decided_by: "organization",
      decided_by_name: "Test Person",
      reason: null,
    });
    const after = await fixture.owner.api.get(`/licenses/${license.id}`);
    expect(after.body).toMatchObject({
      customer_email: email,
      customer_name: null,
      current_unique_ip_count: 0,
      notes: "VIP",
    });
    expect(after.body.license_key).not.toBe(license.key);
    expect(after.body.global_customer_id).toBe(answer.body.to.global_customer_id);
    // The search finds it under the new customer, and the former customer's record stays.
    const list = `/organizations/${fixture.organizationId}/licenses?q=`;
    expect((await fixture.owner.api.get(list + email)).body.data).toMatchObject([{ id: license.id }]);
    expect((await fixture.owner.api.get(list + license.email)).body.data).toEqual([]);
    const former = `/organizations/${fixture.organizationId}/customers/${license.customerId}`;
    expect((await fixture.owner.api.get(former)).body).toMatchObject({ email: license.email, name: "Ada" });
    expect(await transfers.types(license.id)).toEqual([
      "license.created",
      "license.transfer_requested",
      "license.transferred",
    ]);
    expect(await transfers.audited(license.id)).toEqual([
      { action: "license.transfer_requested", actor: "customer", name: "Ada" },
      { action: "license.transferred", actor: "person", name: "Test Person" },
    ]);
    // It is gone for the one, and there for the other.
    expect((await request(license, { email: target() })).body.code).toBe("not_found");
    const grace = await transfers.signIn({ email });
    const next = await grace.post(`/licenses/${license.id}/transfers`, { email: license.email });
    expect(next.body.state).toBe("pending");
    expect((await shown(next.body.id)).last_transferred_at).toBe(answer.body.decided_at);
  });

  test("a token of the organization decides under its own name, and only with the permission", async () => {
    const tokens = await fixture.store.transaction(async (db) => {
      const holder = { organizationId: fixture.organizationId };
      return {
        reviewer: await addToken(db, holder, Date.now(), null, ["transfers:review"]),
        other: await addToken(db, holder, Date.now(), null, ["licenses:update", "licenses:view"]),
      };
    });
    const license = await transfers.sold(review);
    const id = await requested(license);
    const other = manageClient(fixture.server.url, tokens.other.token);
    expect((await other.post(`/transfers/${id}/approve`)).body.code).toBe("permission_missing");
    expect((await other.get(`/transfers/${id}`)).body.code).toBe("permission_missing");
    const reviewer = manageClient(fixture.server.url, tokens.reviewer.token);
    expect((await reviewer.post(`/transfers/${id}/approve`)).body).toMatchObject({
      decided_by: "organization",
      decided_by_name: "Token",
    });
    expect((await transfers.audited(license.id)).at(-1)).toMatchObject({ actor: "token", name: "Token" });
  });

  test("IP addresses and the key stay if the product says so", async () => {
    const productId = await transfers.product({ transfer_resets_ips: false, transfer_rotates_key: false });
    const license = await transfers.sold(productId);
    await fixture.store.transaction((db) => registerIp(db, license.id, "203.0.113.7", Date.now()));
    await approve(await requested(license));
    expect(await transfers.row(license.id)).toMatchObject({ license_key: license.key, ip_count: 1 });
  });

  test("a license with more IP addresses than fit into one transaction loses all of them", async () => {
    const license = await transfers.sold(review, { max_ips: 10_000 });
    const many = 4_500;
    await fixture.store.transaction(async (db) => {
      const rows = Array.from({ length: many }, (_, number) => ({
        license_id: license.id,
        ip: `10.${number >> 8}.${number & 255}.1`,
        registered_at: 1,
      }));
      for (let start = 0; start < many; start += 500)
        await db
          .insertInto("license_ips")
          .values(rows.slice(start, start + 500))
          .execute();
      await db.updateTable("licenses").set({ ip_count: many }).where("id", "=", license.id).execute();
    });
    // A refusal removes none of them.
    const id = await requested(license);
    await fixture.owner.api.post(`/licenses/${license.id}/revoke`, {});
    expect((await approve(id)).body.code).toBe("transfer_license_revoked");
    expect((await transfers.row(license.id))?.ip_count).toBe(many);
    await fixture.owner.api.post(`/licenses/${license.id}/reinstate`);
    expect((await approve(id)).status).toBe(200);
    expect((await transfers.row(license.id))?.ip_count).toBe(0);
    const entry = await fixture.owner.api.get(
      `/organizations/${fixture.organizationId}/audit-log?action=license.transferred&subject_id=${license.id}`,
    );
    expect(entry.body.data[0].before.current_unique_ip_count).toBe(many);
  });

  test("a rejection names the reason to the customer, and leaves the license", async () => {
    const license = await transfers.sold(review);
    const id = await requested(license);
    const before = await transfers.row(license.id);
    expect((await reject(id, "It is part of a bundle.")).body).toMatchObject({
      state: "rejected",
      decided_by: "organization",
      decided_by_name: "Test Person",
      reason: "It is part of a bundle.",
    });
    expect(await transfers.row(license.id)).toEqual(before);
    expect((await license.customer.get("/transfers")).body.data).toMatchObject([
      { id, state: "rejected", reason: "It is part of a bundle." },
    ]);
    expect((await transfers.types(license.id)).at(-1)).toBe("license.transfer_rejected");
    const [mail] = await openedEmails(fixture.store, { to: license.email, kind: "transfer_rejected" });
    expect(mail?.body_text).toContain("Reason given by Acme:\n\nIt is part of a bundle.");
    expect((await fixture.owner.api.post(`/transfers/${id}/reject`, {})).status).toBe(422);
    expect((await approve(id)).body.code).toBe("transfer_not_pending");
    expect((await reject(id)).body.code).toBe("transfer_not_pending");
  });

  test("a customer cancels a request, once", async () => {
    const license = await transfers.sold(review);
    const id = await requested(license);
    const cancelled = await license.customer.post(`/transfers/${id}/cancel`);
    expect(cancelled.body).toMatchObject({ id, state: "cancelled", decided_by: "customer", reason: null });
    expect((await license.customer.post(`/transfers/${id}/cancel`)).body.code).toBe("transfer_not_pending");
    expect((await approve(id)).body.code).toBe("transfer_not_pending");
    expect(await transfers.audited(license.id)).toMatchObject([
      {},
      { action: "license.transfer_cancelled", actor: "customer", name: "Ada" },
    ]);
  });

  test("others see neither the license's transfers nor cancel them, also not the recipient", async () => {
    const license = await transfers.sold(review);
    const email = target();
    const id = await requested(license, { email });
    for (const other of [await transfers.signIn({ email }), await transfers.signIn({ email: target() })]) {
      expect((await other.get("/transfers")).body.data).toEqual([]);
      expect((await other.post(`/transfers/${id}/cancel`)).body.code).toBe("not_found");
      const again = await other.post(`/licenses/${license.id}/transfers`, { email: target() });
      expect(again.body.code).toBe("not_found");
    }
  });

  test("an organization sees and decides its own transfers only", async () => {
    const license = await transfers.sold(review);
    const id = await requested(license);
    const other = await fixture.person();
    const { body } = await other.api.post("/organizations", { name: "Other" });
    expect((await other.api.get(`/organizations/${body.id}/transfers`)).body.data).toEqual([]);
    const list = `/organizations/${body.id}/transfers?license_id=${license.id}`;
    expect((await other.api.get(list)).body.data).toEqual([]);
    expect((await other.api.get(`/transfers/${id}`)).status).toBe(404);
    expect((await other.api.post(`/transfers/${id}/approve`)).status).toBe(404);
    expect((await other.api.post(`/transfers/${id}/reject`, { reason: "x" })).status).toBe(404);
    expect(await transfers.states(license.id)).toEqual(["pending"]);
  });

  test("a person who has proven the license's email address cancels what another account requested with it", async () => {
    const license = await transfers.sold(review);
    const id = await requested(license);
    await fixture.store.transaction((db) =>
      db.deleteFrom("portal_identities").where("value", "=", license.email).execute(),
    );
    const now = await transfers.signIn({ email: license.email });
    expect((await now.get("/transfers")).body.data).toEqual([]);
    expect((await now.post(`/transfers/${id}/cancel`)).body.state).toBe("cancelled");
  });

  describe("a target", () => {
    test("is exactly one of an email address and a Discord ID", async () => {
      const license = await transfers.sold(review);
      const both = await request(license, { email: target(), discord_id: "123456789012345678" });
      expect([both.status, both.body.errors[0].field]).toEqual([422, "discord_id"]);
      const none = await request(license, {});
      expect([none.status, none.body.errors[0].field]).toEqual([422, "email"]);
      const wrong = await request(license, { email: "nobody" });
      expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "email"]);
      expect(await transfers.states(license.id)).toEqual([]);
    });

    test("is not the customer who has the license, in any letter case", async () => {
      const license = await transfers.sold(review);
      for (const email of [license.email, license.email.toUpperCase(), ` ${license.email} `]) {
        const answer = await request(license, { email });
        expect([answer.status, answer.body.errors[0]]).toMatchObject([
          422,
          { field: "email", code: "already_holder" },
        ]);
      }
      const discordId = String(Date.now());
      const theirs = await transfers.sold(review, { customer_email: null, customer_discord_id: discordId });
      const customer = await transfers.signIn({ discordId });
      const answer = await customer.post(`/licenses/${theirs.id}/transfers`, { discord_id: discordId });
      expect([answer.status, answer.body.errors[0]]).toMatchObject([
        422,
        { field: "discord_id", code: "already_holder" },
      ]);
    });

    test("can be another identity of the same person", async () => {
      const [email, discordId] = [target(), `9${Date.now()}`];
      const license = await transfers.sold(automatic, { customer_email: email });
      const both = await transfers.signIn({ email, discordId });
      const answer = await both.post(`/licenses/${license.id}/transfers`, { discord_id: discordId });
      expect(answer.body.state).toBe("approved");
      // It is still theirs.
      const back = await both.post(`/licenses/${license.id}/transfers`, { email });
      expect(back.body.state).toBe("approved");
    });

    test("who is known keeps the record that the organization wrote, whatever the letter case", async () => {
      const license = await transfers.sold(review);
      const grace = await transfers.sold(review, { customer_name: "Grace Hopper" });
      const id = await requested(license, { email: grace.email.toUpperCase() });
      expect((await shown(id)).to).toMatchObject({
        global_customer_id: grace.customerId,
        customer_name: "Grace Hopper",
      });
      await approve(id);
      expect((await fixture.owner.api.get(`/licenses/${license.id}`)).body).toMatchObject({
        global_customer_id: grace.customerId,
        customer_email: grace.email,
        customer_name: "Grace Hopper",
      });
    });

    test("known only by a Discord ID gets the license and no email", async () => {
      const license = await transfers.sold(review);
      const discordId = `8${Date.now()}`;
      const before = (await openedEmails(fixture.store, { kind: "license_received" })).length;
      await approve(await requested(license, { discord_id: discordId }));
      expect((await fixture.owner.api.get(`/licenses/${license.id}`)).body).toMatchObject({
        customer_email: null,
        customer_discord_id: discordId,
      });
      expect((await openedEmails(fixture.store, { kind: "license_received" })).length).toBe(before);
      const theirs = await transfers.signIn({ discordId });
      expect((await theirs.post(`/licenses/${license.id}/transfers`, { email: target() })).status).toBe(201);
    });
  });

  test("a message has at most 1,000 characters, and an empty one counts as none", async () => {
    const license = await transfers.sold(review);
    const long = await request(license, { email: target(), message: "x".repeat(1_001) });
    expect([long.status, long.body.errors[0].field]).toEqual([422, "message"]);
    const id = await requested(license, { email: target(), message: "😀".repeat(500) });
    expect((await shown(id)).message).toBe("😀".repeat(500));
    await reject(id);
    const empty = await requested(license, { email: target(), message: "   " });
    expect((await shown(empty)).message).toBeNull();
    await reject(empty);
    expect((await shown(await requested(license, { email: target(), message: null }))).message).toBeNull();
  });

  test.each(["\u0000", "\ud800"])("a text that cannot be stored is refused: %j", async (odd) => {
    const license = await transfers.sold(review);
    for (const body of [
      { email: target(), message: `a${odd}b` },
      { email: `a${odd}@example.com` },
      { email: target(), extra: "x" },
    ])
      expect((await request(license, body)).status).toBe(422);
    expect(await transfers.states(license.id)).toEqual([]);
  });

  describe("automatic approval", () => {
    test("transfers the license with the request", async () => {
      const license = await transfers.sold(automatic);
      const email = target();
      const answer = await request(license, { email });
      expect([answer.status, answer.body]).toMatchObject([201, { state: "approved", decided_by: "system" }]);
      expect((await fixture.owner.api.get(`/licenses/${license.id}`)).body.customer_email).toBe(email);
      expect(await shown(answer.body.id)).toMatchObject({
        review_reason: null,
        decided_by: "system",
        decided_by_name: null,
      });
      expect(await transfers.types(license.id)).toEqual([
        "license.created",
        "license.transfer_requested",
        "license.transferred",
      ]);
      expect(await transfers.audited(license.id)).toEqual([
        { action: "license.transfer_requested", actor: "customer", name: "Ada" },
        { action: "license.transferred", actor: "customer", name: "Ada" },
      ]);
      expect((await license.customer.get("/transfers")).body.data).toMatchObject([{ state: "approved" }]);
    });

    test("waits for review within the cooldown, and says why", async () => {
      const productId = await transfers.product({ transfers: "automatic", transfer_cooldown_days: 7 });
      const license = await transfers.sold(productId);
      const early = await requested(license);
      expect((await shown(early)).review_reason).toBe("cooldown");
      await reject(early);
      const age = (created_at: number) =>
        fixture.store.transaction((db) =>
          db.updateTable("licenses").set({ created_at }).where("id", "=", license.id).execute(),
        );
      await age(Date.now() - 8 * dayMs);
      const email = target();
      expect((await request(license, { email })).body.state).toBe("approved");
      // A second transfer is as early as the first was.
      const grace = await transfers.signIn({ email });
      const second = await grace.post(`/licenses/${license.id}/transfers`, { email: target() });
      expect(second.body.state).toBe("pending");
      expect((await shown(second.body.id)).review_reason).toBe("cooldown");
    });

    test("never happens if the organization blocks IP addresses of the recipient", async () => {
      const grace = await transfers.sold(automatic);
      const block = { id: newId(), cidr: "127.0.0.0/8", note: null };
      const scope = {
        tier: "customer",
        organizationId: fixture.organizationId,
        customerId: grace.customerId,
      } as const;
      await fixture.store.transaction((db) =>
        addIpBlocks(db, [{ ...block, scope, expiresAtMs: Date.now() - 1 }], Date.now()),
      );
      // An expired block is none.
      const first = await transfers.sold(automatic);
      expect((await request(first, { email: grace.email })).body.state).toBe("approved");
      await fixture.store.transaction((db) =>
        addIpBlocks(
          db,
          [{ ...block, id: newId(), cidr: "127.0.0.1/32", scope, expiresAtMs: null }],
          Date.now(),
        ),
      );
      const license = await transfers.sold(automatic);
      const id = await requested(license, { email: grace.email });
      expect(await shown(id)).toMatchObject({ review_reason: "target_blocked", target_blocked: true });
      await approve(id);
      const key = (await transfers.row(license.id))?.license_key;
      const { apiKey } = await keyOf(automatic);
      const verdict = await validate(apiKey, key);
      expect(verdict.status).toBe("ip_blocked");
    });
  });

  const keyOf = async (productId: string) => {
    const { body } = await fixture.owner.api.post(`/products/${productId}/api-keys`, { name: "Test" });
    return { apiKey: String(body.api_key ?? body.key) };
  };
  const validate = async (apiKey: string, key: string | undefined, ip = "127.0.0.1") => {
    const answer = await fetch(`${fixture.server.url}/api/v1/validate`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "x-forwarded-for": ip,
      },
      body: JSON.stringify({ license_key: key }),
    });
    return (await answer.json()) as {
      valid: boolean;
      status: string;
      ip_count: number | null;
      max_ips: number | null;
    };
  };

  describe("is refused", () => {
    test("while the product does not offer transfers", async () => {
      const license = await transfers.sold(await transfers.product({ transfers: "off" }));
      const answer = await request(license, { email: target() });
      expect([answer.status, answer.body.code]).toEqual([403, "transfers_not_offered"]);
    });

    test("while another one waits", async () => {
      const license = await transfers.sold(review);
      await requested(license);
      const answer = await request(license, { email: target() });
      expect([answer.status, answer.body.code]).toEqual([409, "transfer_pending"]);
    });

    test("after five requests for a license within a day", async () => {
      const license = await transfers.sold(review);
      for (let count = 0; count < 5; count++)
        await license.customer.post(`/transfers/${await requested(license)}/cancel`);
      const answer = await request(license, { email: target() });
      expect([answer.status, answer.body.code, answer.body.params]).toEqual([
        429,
        "transfer_limit_reached",
        { limit: 5 },
      ]);
      const retryAfter = Number(answer.headers.get("retry-after"));
      expect(retryAfter).toBeGreaterThan(86_000);
      expect(retryAfter).toBeLessThanOrEqual(86_400);
      await fixture.store.transaction((db) =>
        db
          .updateTable("transfers")
          .set((row) => ({ requested_at: row("requested_at", "-", dayMs) }))
          .where("license_id", "=", license.id)
          .execute(),
      );
      await requested(license);
    });

    test("while the license is revoked: a pending one waits for it to be reinstated", async () => {
      const license = await transfers.sold(review);
      const id = await requested(license);
      await fixture.owner.api.post(`/licenses/${license.id}/revoke`, { reason: "Refund" });
      const refused = await approve(id);
      expect([refused.status, refused.body.code]).toEqual([409, "transfer_license_revoked"]);
      expect(await transfers.states(license.id)).toEqual(["pending"]);
      await fixture.owner.api.post(`/licenses/${license.id}/reinstate`);
      expect((await approve(id)).status).toBe(200);
      const other = await transfers.sold(review);
      await fixture.owner.api.post(`/licenses/${other.id}/revoke`, {});
      expect((await request(other, { email: target() })).body.code).toBe("transfer_license_revoked");
    });

    test.each(["disabled", "archived"])("while the product is %s: a pending one stays", async (status) => {
      const productId = await transfers.product();
      const license = await transfers.sold(productId);
      const id = await requested(license);
      const other = await transfers.sold(productId);
      await fixture.owner.api.patch(`/products/${productId}`, { status });
      expect((await approve(id)).body.code).toBe("transfer_product_inactive");
      expect((await request(other, { email: target() })).body.code).toBe("transfer_product_inactive");
      expect(await transfers.states(license.id)).toEqual(["pending"]);
      await fixture.owner.api.patch(`/products/${productId}`, { status: "active" });
      expect((await approve(id)).status).toBe(200);
    });
  });

  test("after transfers were turned off, a pending one can still be decided", async () => {
    const productId = await transfers.product();
    const [first, second] = [await transfers.sold(productId), await transfers.sold(productId)];
    const [one, other] = [await requested(first), await requested(second)];
    await fixture.owner.api.patch(`/products/${productId}`, { transfers: "off" });
    expect((await approve(one)).body.state).toBe("approved");
    expect((await reject(other)).body.state).toBe("rejected");
  });

  test("the transfers of a deleted product are not shown and cannot be decided", async () => {
    const productId = await transfers.product();
    const license = await transfers.sold(productId);
    const id = await requested(license);
    await fixture.owner.api.delete(`/products/${productId}`);
    expect((await fixture.owner.api.get(`/transfers/${id}`)).status).toBe(404);
    expect((await approve(id)).status).toBe(404);
    expect((await reject(id)).status).toBe(404);
    const list = `/organizations/${fixture.organizationId}/transfers?license_id=${license.id}`;
    expect((await fixture.owner.api.get(list)).body.data).toEqual([]);
    expect((await license.customer.get("/transfers")).body.data).toEqual([]);
    expect((await license.customer.post(`/transfers/${id}/cancel`)).status).toBe(404);
  });

  test("while the organization is suspended, customers can only read and nobody decides", async () => {
    const license = await transfers.sold(review);
    const other = await transfers.sold(review);
    const id = await requested(license);
    const organization = `/admin/organizations/${fixture.organizationId}`;
    await fixture.admin.api.post(`${organization}/suspend`, { reason: "Stolen keys." });
    expect((await license.customer.get("/transfers")).body.data).toHaveLength(1);
    const refused = await request(other, { email: target() });
    expect([refused.status, refused.body.code]).toEqual([403, "seller_suspended"]);
    expect(JSON.stringify(refused.body)).not.toContain("Stolen");
    expect((await license.customer.post(`/transfers/${id}/cancel`)).body.code).toBe("seller_suspended");
    expect((await approve(id)).body.code).toBe("organization_suspended");
    await fixture.admin.api.post(`${organization}/restore`);
    expect((await approve(id)).status).toBe(200);
  });

  describe("a pending transfer is cancelled by the system, with its event,", () => {
    const cancelled = async (license: Sold, reason: string, portalId: string) => {
      const events = await transfers.events(license.id);
      const event = events.find(({ type }) => type === "license.transfer_cancelled");
      expect(event?.data.transfer).toMatchObject({ state: "cancelled", decided_by: "system", reason });
      expect(event?.data.license?.id).toBe(license.id);
      const [own] = (await license.customer.get("/transfers")).body.data;
      expect(own).toMatchObject({ id: portalId, state: "cancelled", decided_by: "system", reason: null });
      expect(await shown(portalId)).toMatchObject({
        state: "cancelled",
        license_exists: reason !== "license_deleted",
      });
    };

    test("when the license is deleted", async () => {
      const license = await transfers.sold(review);
      const id = await requested(license);
      await fixture.owner.api.delete(`/licenses/${license.id}`);
      await cancelled(license, "license_deleted", id);
      expect((await approve(id)).body.code).toBe("transfer_not_pending");
    });

    test("when many licenses are deleted at once", async () => {
      const licenses = [
        await transfers.sold(review),
        await transfers.sold(review),
        await transfers.sold(review),
      ];
      const ids = [];
      for (const license of licenses) ids.push(await requested(license));
      await fixture.owner.api.post(`/organizations/${fixture.organizationId}/licenses/bulk`, {
        action: "delete",
        selection: { ids: licenses.map(({ id }) => id) },
      });
      for (const [index, license] of licenses.entries())
        await cancelled(license, "license_deleted", ids[index] ?? "");
    });

    test("when the seller gives the license to another customer", async () => {
      const license = await transfers.sold(review);
      const id = await requested(license);
      await fixture.owner.api.patch(`/licenses/${license.id}`, { customer_email: target() });
      await cancelled(license, "customer_changed", id);
    });

    test("when the seller changes who the customer is", async () => {
      const license = await transfers.sold(review);
      const id = await requested(license);
      const customer = `/organizations/${fixture.organizationId}/customers/${license.customerId}`;
      expect((await fixture.owner.api.patch(customer, { name: "Ada Lovelace" })).status).toBe(200);
      expect(await transfers.states(license.id)).toEqual(["pending"]);
      expect((await fixture.owner.api.patch(customer, { email: target() })).status).toBe(200);
      await cancelled(license, "customer_changed", id);
    });

    test.each([true, false])("when an import overwrites the customer, with events: %p", async (events) => {
      const license = await transfers.sold(review);
      const id = await requested(license);
      const other = await transfers.sold(review);
      const otherId = await requested(other);
      await importFile(
        fixture,
        `license_key,customer_email,notes\n${license.key},${target()},x\n${other.key},${other.email},y\n`,
        `?on_existing=update&send_events=${events}`,
        { productId: review },
      );
      await cancelled(license, "customer_changed", id);
      // The other row has the same customer as before.
      expect((await shown(otherId)).state).toBe("pending");
    });

    test.each([true, false])("when an import is undone, with events: %p", async (events) => {
      const license = await transfers.sold(review);
      const email = target();
      const key = `KEY-${newId()}`;
      const job = await importFile(
        fixture,
        `license_key,customer_email\n${license.key},${email}\n${key},${email}\n`,
        `?on_existing=update&send_events=${events}`,
        { productId: review },
      );
      const grace = await transfers.signIn({ email });
      const created = await fixture.store.reads
        .selectFrom("licenses")
        .select("id")
        .where("license_key", "=", key)
        .executeTakeFirstOrThrow();
      const ids = [];
      for (const licenseId of [license.id, created.id]) {
        const answer = await grace.post(`/licenses/${licenseId}/transfers`, { email: target() });
        expect(answer.status).toBe(201);
        ids.push(answer.body.id);
      }
      const undo = await fixture.owner.api.post(`/products/${review}/imports/${job.id}/undo`, {});
      expect(undo.status).toBe(202);
      await until("the import is undone", async () => {
        const { body } = await fixture.owner.api.get(`/products/${review}/imports/${job.id}`);
        return body.state === "undone";
      });
      expect((await shown(ids[0] ?? "")).reason).toBe("customer_changed");
      expect((await shown(ids[1] ?? "")).reason).toBe("license_deleted");
      expect(await transfers.types(license.id)).toContain("license.transfer_cancelled");
      expect(await transfers.types(created.id)).toContain("license.transfer_cancelled");
    });
  });

  test("an import that fails after it wrote a license does not take it from whom it was transferred to", async () => {
    const license = await transfers.sold(automatic, { notes: "before" });
    const [grace, joan] = [target(), target()];
    // What an import writes, and remembers in case a later row of its file fails.
    const written = await fixture.owner.api.patch(`/licenses/${license.id}`, {
      customer_email: grace,
      notes: "from the file",
    });
    const undo = {
      import_id: newId(),
      license_id: license.id,
      before: JSON.stringify({
        columns: { customer_id: license.customerId, notes: "before", ip_count: 1 },
        ips: [{ ip: "203.0.113.7", registeredAt: 1 }],
      }),
      written_at: Date.parse(written.body.updated_at),
    };
    const buyer = await transfers.signIn({ email: grace });
    const answer = await buyer.post(`/licenses/${license.id}/transfers`, { email: joan });
    expect(answer.body.state).toBe("approved");
    await fixture.store.transaction((db) => revertRows(db, [undo]));
    const after = await fixture.owner.api.get(`/licenses/${license.id}`);
    expect(after.body).toMatchObject({ customer_email: joan, notes: "before", current_unique_ip_count: 0 });
    const list = `/organizations/${fixture.organizationId}/licenses?q=${joan}`;
    expect((await fixture.owner.api.get(list)).body.data).toMatchObject([{ id: license.id }]);
  });

  test("lists are pages, newest first, by state and license", async () => {
    const productId = await transfers.product();
    const owner = await fixture.person();
    const { body: organization } = await owner.api.post("/organizations", { name: "Pages" });
    const other = transferFixture({ ...fixture, owner, organizationId: organization.id });
    const product = await other.product();
    const [a, b] = [await other.sold(product), await other.sold(product)];
    const ids: string[] = [];
    for (const license of [a, b, a, b, a]) {
      const answer = await request(license, { email: target() });
      ids.unshift(answer.body.id);
      await owner.api.post(`/transfers/${answer.body.id}/reject`, { reason: "No." });
    }
    ids.unshift((await request(a, { email: target() })).body.id);
    const base = `/organizations/${organization.id}/transfers`;
    const all: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await owner.api.get(`${base}?limit=2${cursor}`);
      all.push(...body.data.map(({ id }: { id: string }) => id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
    }
    expect(all).toEqual(ids);
    const idsOf = async (query: string) =>
      (await owner.api.get(`${base}?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await idsOf("state=pending")).toEqual(ids.slice(0, 1));
    expect(await idsOf("state=rejected")).toEqual(ids.slice(1));
    expect(await idsOf(`license_id=${b.id}`)).toHaveLength(2);
    expect(await idsOf(`license_id=${a.id}&state=pending`)).toEqual(ids.slice(0, 1));
    const first = await a.customer.get("/transfers?limit=3");
    expect(first.body.data).toHaveLength(3);
    const rest = await a.customer.get(`/transfers?limit=3&cursor=${first.body.next_cursor}`);
    expect([rest.body.data.length, rest.body.next_cursor]).toEqual([1, null]);
    expect(productId).not.toBe(product);
  });

  test("a repeated request with an idempotency key is one request", async () => {
    const license = await transfers.sold(review);
    const body = { email: target() };
    const headers = { "idempotency-key": newId() };
    const path = `/licenses/${license.id}/transfers`;
    const [first, second] = [
      await license.customer.post(path, body, headers),
      await license.customer.post(path, body, headers),
    ];
    expect(second.body).toEqual(first.body);
    expect(await transfers.states(license.id)).toEqual(["pending"]);
  });

  test("a license is transferred twice in a row and back, each time with another key", async () => {
    const license = await transfers.sold(automatic);
    const [grace, joan] = [target(), target()];
    const people = {
      grace: await transfers.signIn({ email: grace }),
      joan: await transfers.signIn({ email: joan }),
    };
    const keys = [license.key];
    const move = async (from: { post: Sold["customer"]["post"] }, email: string) => {
      const answer = await from.post(`/licenses/${license.id}/transfers`, { email });
      expect(answer.body.state).toBe("approved");
      keys.push((await transfers.row(license.id))?.license_key ?? "");
    };
    await move(license.customer, grace);
    await move(people.grace, joan);
    await move(people.joan, license.email);
    expect(new Set(keys).size).toBe(4);
    expect((await transfers.row(license.id))?.customer_id).toBe(license.customerId);
    expect((await fixture.owner.api.get(`/licenses/${license.id}`)).body.customer_name).toBe("Ada");
  });

  test("deleting a portal account cancels its pending transfers and keeps the others without it", async () => {
    const license = await transfers.sold(review);
    const done = await requested(license);
    await reject(done);
    const id = await requested(license);
    const { personId } = license.customer;
    await fixture.store.transaction((db) => {
      const actor = { kind: "customer", personId, sessionId: "", emails: [], discordIds: [] } as const;
      const context = { actor, organization: null, nowMs: Date.now(), ip: null, requestId: newId() };
      return releaseTransfers(db, fixture.store, context, personId);
    });
    expect((await shown(id)).state).toBe("cancelled");
    expect((await shown(done)).state).toBe("rejected");
    expect((await transfers.audited(license.id)).at(-1)).toEqual({
      action: "license.transfer_cancelled",
      actor: "customer",
      name: "Ada",
    });
    const left = await fixture.store.reads
      .selectFrom("transfers")
      .select("id")
      .where("requested_by", "=", personId)
      .execute();
    expect(left).toEqual([]);
  });

  test.each(["review", "automatic"])(
    "a request of an account that is being deleted is refused, if transfers are set to %s",
    async (setting) => {
      const license = await transfers.sold(setting === "review" ? review : automatic);
      const before = await transfers.row(license.id);
      // The request is authorized before the deletion is committed, and waits for it.
      const answer = await fixture.store.transaction(async (db) => {
        await removePortalPerson(db, license.customer.personId);
        const waiting = request(license, { email: target() });
        await Bun.sleep(500);
        return { waiting };
      });
      expect((await answer.waiting).body.code).toBe("sign_in_required");
      expect(await transfers.states(license.id)).toEqual([]);
      expect(await transfers.row(license.id)).toEqual(before);
    },
  );

  test("requests and the deletion of their account at the same moment leave no transfer of an unknown account", async () => {
    for (let round = 0; round < 10; round++) {
      const license = await transfers.sold(round % 2 === 0 ? review : automatic);
      const { personId } = license.customer;
      const [answer, deleted] = await Promise.all([
        request(license, { email: target() }),
        license.customer.delete("/me"),
      ]);
      expect(deleted.status).toBe(204);
      expect([201, 401]).toContain(answer.status);
      const left = await fixture.store.reads
        .selectFrom("transfers")
        .select(["state", "requested_by"])
        .where((is) => is.or([is("license_id", "=", license.id), is("requested_by", "=", personId)]))
        .execute();
      const state = round % 2 === 0 ? "cancelled" : "approved";
      expect(left).toEqual(answer.status === 201 ? [{ state, requested_by: null }] : []);
    }
  });

  test("deleting a customer erases them from finished transfers of the organization, on either side", async () => {
    const stored = (id: string) =>
      fixture.store.reads.selectFrom("transfers").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const customers = `/organizations/${fixture.organizationId}/customers`;
    const license = await transfers.sold(review);
    const email = `Grace-${newId()}@example.com`;
    const rejected = await requested(license, { email: email.toUpperCase(), message: "For Grace" });
    await reject(rejected);
    const approved = await requested(license, { email, message: "For Grace" });
    const grace = String((await approve(approved)).body.to.global_customer_id);
    const other = await transfers.sold(review);
    const pending = await requested(other, { email: license.email });
    const unrelated = await requested(await transfers.sold(review), { email: target(), message: "Hello" });
    await reject(unrelated);
    const untouched = [await stored(pending), await stored(unrelated)];

    expect((await fixture.owner.api.delete(`${customers}/${license.customerId}`)).status).toBe(204);
    const gone = { from_email: null, from_name: null, from_discord_id: null, message: null };
    expect(await stored(approved)).toMatchObject({ ...gone, to_email: email, state: "approved" });
    expect(await stored(rejected)).toMatchObject({ ...gone, to_email: email.toUpperCase() });
    expect([await stored(pending), await stored(unrelated)]).toEqual(untouched);

    await fixture.owner.api.delete(`/licenses/${license.id}`);
    expect((await fixture.owner.api.delete(`${customers}/${grace}`)).status).toBe(204);
    for (const id of [approved, rejected]) {
      expect(await stored(id)).toMatchObject({ ...gone, to_email: null, to_discord_id: null });
      const holder = { customer_email: null, customer_name: null, customer_discord_id: null };
      expect(await shown(id)).toMatchObject({ from: holder, to: holder });
    }
    expect([await stored(pending), await stored(unrelated)]).toEqual(untouched);

    // The recipient of a transfer that was not approved, known by a Discord ID.
    const discordId = "123456789012345678";
    await reject(pending);
    const toDiscord = await requested(other, { discord_id: discordId });
    await reject(toDiscord);
    const created = await fixture.owner.api.post(customers, { discord_id: discordId });
    expect((await fixture.owner.api.delete(`${customers}/${created.body.id}`)).status).toBe(204);
    expect(await stored(toDiscord)).toMatchObject({ to_discord_id: null, from_email: other.email });
    expect((await other.customer.get("/transfers")).body.data).toMatchObject([
      { id: toDiscord, to_email: null, to_discord_id: null },
      { id: pending, to_email: license.email },
    ]);
  });

  describe("emails", () => {
    test("go to the customer who has the license, and to the recipient without the key", async () => {
      const license = await transfers.sold(review);
      const email = target();
      const id = await requested(license, { email });
      const [requestMail] = await openedEmails(fixture.store, {
        to: license.email,
        kind: "transfer_requested",
      });
      expect(requestMail?.body_text).toContain(email);
      expect(requestMail?.body_text).toContain("If this wasn't you");
      expect(requestMail?.body_text).toContain("/portal?seller=");
      expect(await openedEmails(fixture.store, { to: email })).toEqual([]);
      await approve(id);
      const [received] = await openedEmails(fixture.store, { to: email });
      expect(received).toMatchObject({ kind: "license_received" });
      expect(received?.body_text).toContain("A Studio license from Acme was transferred to you.");
      const key = (await transfers.row(license.id))?.license_key ?? "";
      for (const secret of [key, license.key]) {
        expect(received?.body_text).not.toContain(secret);
        expect(received?.body_html).not.toContain(secret);
      }
      const [completed] = await openedEmails(fixture.store, {
        to: license.email,
        kind: "transfer_completed",
      });
      expect(completed?.body_text).toContain(`now belongs to ${email}`);
    });

    test("are in the name that customers know, and replies go to the organization's support", async () => {
      const path = `/organizations/${fixture.organizationId}/branding`;
      const brand = (fields: object) => fixture.owner.api.patch(path, fields);
      const license = await transfers.sold(review);
      const email = target();
      expect((await brand({ display_name: "Studio Nine", support_email: "help@example.com" })).status).toBe(
        200,
      );
      await reject(await requested(license, { email }));
      await approve(await requested(license, { email }));
      await brand({ display_name: null, support_email: null });
      const emails = await openedEmails(fixture.store, { to: [license.email, email] });
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

    test("after an automatic approval, the former customer gets one email", async () => {
      const license = await transfers.sold(automatic);
      await request(license, { email: target() });
      const kinds = (await openedEmails(fixture.store, { to: license.email })).map(({ kind }) => kind);
      expect(kinds).toEqual(["transfer_completed"]);
    });

    test("to the recipient wait while the organization's daily limit is reached, and are not lost", async () => {
      const owner = await fixture.person();
      const { body: organization } = await owner.api.post("/organizations", { name: "Limited" });
      const other = transferFixture({ ...fixture, owner, organizationId: organization.id });
      const product = await other.product({ transfers: "automatic" });
      const setLimit = (daily: number | null) =>
        fixture.store.transaction((db) =>
          db
            .updateTable("organizations")
            .set({ daily_emails_override: daily })
            .where("id", "=", organization.id)
            .execute(),
        );
      await setLimit(0);
      const [kept, movedOn] = [await other.sold(product), await other.sold(product)];
      const [grace, joan, later] = [target(), target(), target()];
      await request(kept, { email: grace });
      await request(movedOn, { email: joan });
      await (await other.signIn({ email: joan })).post(`/licenses/${movedOn.id}/transfers`, { email: later });
      const receivers = async () =>
        (await openedEmails(fixture.store, { to: [grace, joan, later], kind: "license_received" })).map(
          ({ recipient }) => recipient,
        );
      expect(await receivers()).toEqual([]);
      await setLimit(100);
      const config = readConfig({ COUNTERSIGN_DAILY_EMAILS: "100" });
      await new WaitingEmails(fixture.store, config).run();
      // The one in between no longer has the license.
      expect((await receivers()).sort()).toEqual([grace, later].sort());
      await new WaitingEmails(fixture.store, config).run();
      expect(await receivers()).toHaveLength(2);
    });

    test("with the key that wait for the former customer do not go to the recipient", async () => {
      const owner = await fixture.person();
      const { body: organization } = await owner.api.post("/organizations", { name: "Late" });
      const other = transferFixture({ ...fixture, owner, organizationId: organization.id });
      const setLimit = (daily: number) =>
        fixture.admin.api.patch(`/admin/organizations/${organization.id}`, { daily_emails_override: daily });
      await setLimit(0);
      const product = await other.product({ transfers: "automatic", deliver_license_by_email: true });
      const license = await other.sold(product);
      const email = target();
      expect((await request(license, { email })).body.state).toBe("approved");
      await setLimit(100);
      const config = readConfig({ COUNTERSIGN_DAILY_EMAILS: "100" });
      await new WaitingEmails(fixture.store, config).run();
      const kinds = (await openedEmails(fixture.store, { to: email })).map(({ kind }) => kind);
      expect(kinds).toEqual(["license_received"]);
    });

    test("to the owner are written once a day while requests wait", async () => {
      const owner = await fixture.person();
      const { body: organization } = await owner.api.post("/organizations", { name: "Reminded" });
      const other = transferFixture({ ...fixture, owner, organizationId: organization.id });
      const product = await other.product();
      const [a, b] = [await other.sold(product), await other.sold(product)];
      const waiting = () => openedEmails(fixture.store, { to: owner.email, kind: "transfers_waiting" });
      const first = await request(a, { email: target() });
      const second = await request(b, { email: target() });
      expect((await waiting()).map(({ body_text: text }) => text)).toEqual([
        expect.stringContaining("Requests waiting: 1"),
      ]);
      const remind = (days: number) =>
        new TransferReminders(fixture.store, fixture.server.url, async () => Date.now() + days * dayMs).run();
      await remind(0);
      expect(await waiting()).toHaveLength(1);
      await remind(1);
      await remind(1);
      expect((await waiting()).at(-1)?.body_text).toContain("Requests waiting: 2");
      expect(await waiting()).toHaveLength(2);
      await remind(31);
      expect(await waiting()).toHaveLength(2);
      await owner.api.post(`/transfers/${first.body.id}/reject`, { reason: "No." });
      await owner.api.post(`/transfers/${second.body.id}/reject`, { reason: "No." });
      await remind(2);
      expect(await waiting()).toHaveLength(2);
    });
  });

  test("the export of an organization has its transfers", async () => {
    const license = await transfers.sold(review);
    const id = await requested(license);
    const { text } = await fixture.owner.api.get(`/organizations/${fixture.organizationId}/export`);
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const line = lines.find(({ kind, data }) => kind === "transfer" && data.id === id);
    expect(line.data).toMatchObject({ license_id: license.id, state: "pending" });
    expect(JSON.stringify(line)).not.toContain(license.customer.personId);
  });

  test("from sold to transferred: what a validation says at each step", async () => {
    const productId = await transfers.product({ auto_register_ip_on_validate: true });
    const { apiKey } = await keyOf(productId);
    const license = await transfers.sold(productId, { max_ips: 1 });
    const [ada, grace] = ["203.0.113.7", "198.51.100.20"];
    const email = target();
    const steps: string[] = [];
    const check = async (step: string, key: string | undefined, ip: string) => {
      const { valid, status, ip_count: ips, max_ips: max } = await validate(apiKey, key, ip);
      steps.push(
        `${step}: ${valid ? "valid" : "refused"}, ${status}, ${ips ?? "-"} of ${max ?? "-"} IP addresses`,
      );
    };
    await check("sold, Ada", license.key, ada);
    await check("sold, a second IP address", license.key, grace);
    const id = await requested(license, { email });
    await check("requested, Ada", license.key, ada);
    await fixture.owner.api.post(`/licenses/${license.id}/revoke`, {});
    expect((await approve(id)).body.code).toBe("transfer_license_revoked");
    await check("revoked meanwhile, Ada", license.key, ada);
    await fixture.owner.api.post(`/licenses/${license.id}/reinstate`);
    await check("reinstated, Ada", license.key, ada);
    expect((await approve(id)).body.state).toBe("approved");
    const { license_key: key, ip_count: ips } = (await transfers.row(license.id)) ?? {};
    expect(ips).toBe(0);
    await check("transferred, Ada with the old key", license.key, ada);
    await check("transferred, Grace with the new key", key, grace);
    await check("transferred, Ada with the new key", key, ada);
    expect(steps).toEqual([
      "sold, Ada: valid, active, 1 of 1 IP addresses",
      "sold, a second IP address: refused, ip_limit_reached, 1 of 1 IP addresses",
      "requested, Ada: valid, active, 1 of 1 IP addresses",
      "revoked meanwhile, Ada: refused, revoked, 1 of 1 IP addresses",
      "reinstated, Ada: valid, active, 1 of 1 IP addresses",
      "transferred, Ada with the old key: refused, license_not_found, - of - IP addresses",
      "transferred, Grace with the new key: valid, active, 1 of 1 IP addresses",
      "transferred, Ada with the new key: refused, ip_limit_reached, 1 of 1 IP addresses",
    ]);
  });
});
