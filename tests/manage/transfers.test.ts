import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { addToken } from "../support/filled-organization.ts";
import { manageClient } from "../support/manage-client.ts";
import { openTransferSeller, someoneNew, type TransferSeller } from "../support/transfer-fixture.ts";

setDefaultTimeout(60_000);

/** Their lists are tested in the store, with the queries; whose they are, with all routes, in tests/routes. */
describe.each(on("sqlite"))("transfers that someone decides on, on $kind", ({ make }) => {
  let seller: TransferSeller;
  beforeAll(async () => {
    seller = await openTransferSeller(make);
  });
  afterAll(() => seller.close());

  test("a request waits, is shown to both sides, and changes nothing", async () => {
    const license = await seller.sold(seller.review);
    const email = someoneNew();
    const before = await seller.row(license.id);
    const { body } = await seller.request(license, { email, message: " I sold my studio. " });
    expect(body).toMatchObject({
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
    expect(await seller.row(license.id)).toEqual(before);
    expect(await seller.shown(body.id)).toMatchObject({
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
    expect((await license.customer.get("/transfers")).body.data).toEqual([body]);
    expect(await seller.types(license.id)).toEqual(["license.created", "license.transfer_requested"]);
    expect(await seller.audited(license.id)).toEqual([
      { action: "license.transfer_requested", actor: "customer", name: "Ada" },
    ]);
  });

  test("an approval gives the license to the recipient, with a new key and without IP addresses", async () => {
    const license = await seller.sold(seller.review, { notes: "VIP" });
    await seller.store.transaction((db) => registerIp(db, license.id, "203.0.113.7", Date.now()));
    const email = someoneNew();
    const { body: approved } = await seller.approve(await seller.requested(license, { email }));
    const decided = { decided_by: "organization", decided_by_name: "Test Person", reason: null };
    expect(approved).toMatchObject({ state: "approved", ...decided });
    const { body: after } = await seller.owner.api.get(`/licenses/${license.id}`);
    expect(after).toMatchObject({
      customer_email: email,
      customer_name: null,
      current_unique_ip_count: 0,
      notes: "VIP",
    });
    expect(after.license_key).not.toBe(license.key);
    expect(after.global_customer_id).toBe(approved.to.global_customer_id);
    // The search finds it under the new customer, and the former customer's record stays.
    const list = `/organizations/${seller.organizationId}/licenses?q=`;
    expect((await seller.owner.api.get(list + email)).body.data).toMatchObject([{ id: license.id }]);
    expect((await seller.owner.api.get(list + license.email)).body.data).toEqual([]);
    const former = `/organizations/${seller.organizationId}/customers/${license.customerId}`;
    expect((await seller.owner.api.get(former)).body).toMatchObject({ email: license.email, name: "Ada" });
    expect((await seller.types(license.id)).slice(1)).toEqual([
      "license.transfer_requested",
      "license.transferred",
    ]);
    expect(await seller.audited(license.id)).toEqual([
      { action: "license.transfer_requested", actor: "customer", name: "Ada" },
      { action: "license.transferred", actor: "person", name: "Test Person" },
    ]);
    // It is gone for the one, and there for the other.
    expect((await seller.request(license)).body.code).toBe("not_found");
    const grace = await seller.signIn({ email });
    const next = await grace.post(`/licenses/${license.id}/transfers`, { email: license.email });
    expect(next.body.state).toBe("pending");
    expect((await seller.shown(next.body.id)).last_transferred_at).toBe(approved.decided_at);
  });

  test("a token of the organization decides under its own name, and only with the permission", async () => {
    const [reviewer, other] = await seller.store.transaction(async (db) => {
      const holder = { organizationId: seller.organizationId };
      return [
        await addToken(db, holder, Date.now(), null, ["transfers:review"]),
        await addToken(db, holder, Date.now(), null, ["licenses:update", "licenses:view"]),
      ].map(({ token }) => manageClient(seller.server.url, token));
    });
    const license = await seller.sold(seller.review);
    const id = await seller.requested(license);
    expect((await other?.post(`/transfers/${id}/approve`))?.body.code).toBe("permission_missing");
    expect((await other?.get(`/transfers/${id}`))?.body.code).toBe("permission_missing");
    expect((await reviewer?.post(`/transfers/${id}/approve`))?.body).toMatchObject({
      decided_by: "organization",
      decided_by_name: "Token",
    });
    expect((await seller.audited(license.id)).at(-1)).toMatchObject({ actor: "token", name: "Token" });
  });

  test("IP addresses and the key stay if the product says so", async () => {
    const productId = await seller.product({ transfer_resets_ips: false, transfer_rotates_key: false });
    const license = await seller.sold(productId);
    await seller.store.transaction((db) => registerIp(db, license.id, "203.0.113.7", Date.now()));
    await seller.approve(await seller.requested(license));
    expect(await seller.row(license.id)).toMatchObject({ license_key: license.key, ip_count: 1 });
  });

  test("a license with more IP addresses than fit into one transaction loses all of them, or none", async () => {
    const license = await seller.sold(seller.review, { max_ips: 10_000 });
    const many = 4_500;
    const rows = Array.from({ length: many }, (_, number) => ({
      license_id: license.id,
      ip: `10.${number >> 8}.${number & 255}.1`,
      network: null,
      registered_at: 1,
    }));
    await seller.store.transaction(async (db) => {
      await seller.store.bulk.insert(db, "license_ips", rows);
      await db.updateTable("licenses").set({ ip_count: many }).where("id", "=", license.id).execute();
    });
    const id = await seller.requested(license);
    await seller.owner.api.post(`/licenses/${license.id}/revoke`, {});
    expect((await seller.approve(id)).body.code).toBe("transfer_license_revoked");
    expect((await seller.row(license.id))?.ip_count).toBe(many);
    await seller.owner.api.post(`/licenses/${license.id}/reinstate`);
    expect((await seller.approve(id)).status).toBe(200);
    expect((await seller.row(license.id))?.ip_count).toBe(0);
    const log = `/organizations/${seller.organizationId}/audit-log?action=license.transferred`;
    const entry = await seller.owner.api.get(`${log}&subject_id=${license.id}`);
    expect(entry.body.data[0].before.current_unique_ip_count).toBe(many);
  });

  test("a rejection names the reason to the customer, leaves the license, and is final", async () => {
    const license = await seller.sold(seller.review);
    const id = await seller.requested(license);
    const before = await seller.row(license.id);
    expect((await seller.owner.api.post(`/transfers/${id}/reject`, {})).status).toBe(422);
    expect((await seller.reject(id, "It is part of a bundle.")).body).toMatchObject({
      state: "rejected",
      decided_by: "organization",
      decided_by_name: "Test Person",
      reason: "It is part of a bundle.",
    });
    expect(await seller.row(license.id)).toEqual(before);
    expect((await license.customer.get("/transfers")).body.data).toMatchObject([
      { id, state: "rejected", reason: "It is part of a bundle." },
    ]);
    expect((await seller.types(license.id)).at(-1)).toBe("license.transfer_rejected");
    const [mail] = await openedEmails(seller.store, { to: license.email, kind: "transfer_rejected" });
    expect(mail?.body_text).toContain("Reason given by Acme:\n\nIt is part of a bundle.");
    expect((await seller.approve(id)).body.code).toBe("transfer_not_pending");
    expect((await seller.reject(id)).body.code).toBe("transfer_not_pending");
  });

  test("a customer cancels a request, once, and nobody else does, not even the recipient", async () => {
    const license = await seller.sold(seller.review);
    const email = someoneNew();
    const id = await seller.requested(license, { email });
    const recipient = await seller.signIn({ email });
    expect((await recipient.get("/transfers")).body.data).toEqual([]);
    expect((await recipient.post(`/transfers/${id}/cancel`)).body.code).toBe("not_found");
    const cancelled = await license.customer.post(`/transfers/${id}/cancel`);
    expect(cancelled.body).toMatchObject({ id, state: "cancelled", decided_by: "customer", reason: null });
    expect((await license.customer.post(`/transfers/${id}/cancel`)).body.code).toBe("transfer_not_pending");
    expect((await seller.approve(id)).body.code).toBe("transfer_not_pending");
    expect((await seller.audited(license.id)).at(-1)).toEqual({
      action: "license.transfer_cancelled",
      actor: "customer",
      name: "Ada",
    });
  });

  test("a person who has proven the license's email address cancels what another account requested with it", async () => {
    const license = await seller.sold(seller.review);
    const id = await seller.requested(license);
    await seller.store.transaction((db) =>
      db.deleteFrom("portal_identities").where("value", "=", license.email).execute(),
    );
    const now = await seller.signIn({ email: license.email });
    expect((await now.get("/transfers")).body.data).toEqual([]);
    expect((await now.post(`/transfers/${id}/cancel`)).body.state).toBe("cancelled");
  });
});

describe.each(on("sqlite"))("transfers while other things change on $kind", ({ make }) => {
  let seller: TransferSeller;
  beforeAll(async () => {
    seller = await openTransferSeller(make);
  });
  afterAll(() => seller.close());

  const obstacles: [string, (productId: string, id: string) => Promise<unknown>, string][] = [
    [
      "license is revoked",
      (_, id) => seller.owner.api.post(`/licenses/${id}/revoke`, {}),
      "transfer_license_revoked",
    ],
    ...["disabled", "archived"].map((status): (typeof obstacles)[number] => [
      `product is ${status}`,
      (productId) => seller.owner.api.patch(`/products/${productId}`, { status }),
      "transfer_product_inactive",
    ]),
  ];
  test.each(obstacles)(
    "while the %s, a pending transfer waits and no other is accepted",
    async (_, obstruct, code) => {
      const productId = await seller.product();
      const [license, other] = [await seller.sold(productId), await seller.sold(productId)];
      const id = await seller.requested(license);
      for (const one of [license, other]) await obstruct(productId, one.id);
      const refused = await seller.approve(id);
      expect([refused.status, refused.body.code]).toEqual([409, code]);
      expect((await seller.request(other)).body.code).toBe(code);
      expect(await seller.states(license.id)).toEqual(["pending"]);
      await seller.owner.api.patch(`/products/${productId}`, { status: "active" });
      await seller.owner.api.post(`/licenses/${license.id}/reinstate`);
      expect((await seller.approve(id)).status).toBe(200);
    },
  );

  test("after transfers were turned off, a pending one can still be decided", async () => {
    const productId = await seller.product();
    const [first, second] = [await seller.sold(productId), await seller.sold(productId)];
    const [one, other] = [await seller.requested(first), await seller.requested(second)];
    await seller.owner.api.patch(`/products/${productId}`, { transfers: "off" });
    expect((await seller.approve(one)).body.state).toBe("approved");
    expect((await seller.reject(other)).body.state).toBe("rejected");
  });

  test("the transfers of a deleted product are not shown and cannot be decided", async () => {
    const productId = await seller.product();
    const license = await seller.sold(productId);
    const id = await seller.requested(license);
    await seller.owner.api.delete(`/products/${productId}`);
    for (const { status } of [
      await seller.owner.api.get(`/transfers/${id}`),
      await seller.approve(id),
      await seller.reject(id),
      await license.customer.post(`/transfers/${id}/cancel`),
    ])
      expect(status).toBe(404);
    expect((await license.customer.get("/transfers")).body.data).toEqual([]);
  });

  test("while the organization is suspended, customers can only read and nobody decides", async () => {
    const [license, other] = [await seller.sold(seller.review), await seller.sold(seller.review)];
    const id = await seller.requested(license);
    const organization = `/admin/organizations/${seller.organizationId}`;
    await seller.admin.api.post(`${organization}/suspend`, { reason: "Stolen keys." });
    expect((await license.customer.get("/transfers")).body.data).toHaveLength(1);
    const refused = await seller.request(other);
    expect([refused.status, refused.body.code]).toEqual([403, "seller_suspended"]);
    expect(refused.text).not.toContain("Stolen");
    expect((await license.customer.post(`/transfers/${id}/cancel`)).body.code).toBe("seller_suspended");
    expect((await seller.approve(id)).body.code).toBe("organization_suspended");
    await seller.admin.api.post(`${organization}/restore`);
    expect((await seller.approve(id)).status).toBe(200);
  });

  test("both sides list transfers in pages, and the organization by state and license", async () => {
    const other = await seller.another("Pages");
    const productId = await other.product();
    const [a, b] = [await other.sold(productId), await other.sold(productId)];
    const rejected = await other.requested(a);
    await other.reject(rejected);
    const ids = [await other.requested(a), await other.requested(b)];
    const base = `/organizations/${other.organizationId}/transfers`;
    const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);
    const first = await other.owner.api.get(`${base}?limit=2`);
    expect(idsOf(first)).toEqual(ids.toReversed());
    const cursor = `&cursor=${encodeURIComponent(first.body.next_cursor)}`;
    const rest = await other.owner.api.get(`${base}?limit=2${cursor}`);
    expect([idsOf(rest), rest.body.next_cursor]).toEqual([[rejected], null]);
    const filtered = await other.owner.api.get(`${base}?state=rejected&license_id=${a.id}`);
    expect(idsOf(filtered)).toEqual([rejected]);
    const own = await a.customer.get("/transfers?limit=1");
    expect(idsOf(own)).toEqual(ids.slice(0, 1));
    expect(idsOf(await a.customer.get(`/transfers?limit=1&cursor=${own.body.next_cursor}`))).toEqual([
      rejected,
    ]);
    // The export has them too, without the account that requested them.
    const { text } = await other.owner.api.get(`/organizations/${other.organizationId}/export`);
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const exported = lines.filter(({ kind }) => kind === "transfer").map(({ data }) => data.id);
    expect(exported).toEqual([rejected, ...ids]);
    expect(text).not.toContain(a.customer.personId);
  });

  test("from sold to transferred, a validation says the right thing at each step", async () => {
    const productId = await seller.product({ auto_register_ip_on_validate: true });
    const { body } = await seller.owner.api.post(`/products/${productId}/api-keys`, { name: "Test" });
    const api = apiOf(seller.server.url, String(body.api_key ?? body.key));
    const license = await seller.sold(productId, { max_ips: 1 });
    const [ada, grace] = ["203.0.113.7", "198.51.100.20"];
    const steps: string[] = [];
    const check = async (step: string, key: string, ip: string) => {
      const answer = await api.validate({ license_key: key }, { "x-forwarded-for": ip });
      const { valid, status, ip_count: ips } = answer.body;
      steps.push(`${step}: ${valid ? "valid" : "refused"}, ${status}, ${ips ?? "-"} IP addresses`);
    };
    await check("sold, Ada", license.key, ada);
    await check("sold, a second IP address", license.key, grace);
    const id = await seller.requested(license);
    await check("requested, Ada", license.key, ada);
    await seller.owner.api.post(`/licenses/${license.id}/revoke`, {});
    await check("revoked meanwhile, Ada", license.key, ada);
    await seller.owner.api.post(`/licenses/${license.id}/reinstate`);
    await check("reinstated, Ada", license.key, ada);
    expect((await seller.approve(id)).body.state).toBe("approved");
    const key = String((await seller.row(license.id))?.license_key);
    await check("transferred, Ada with the old key", license.key, ada);
    await check("transferred, Grace with the new key", key, grace);
    await check("transferred, Ada with the new key", key, ada);
    expect(steps).toEqual([
      "sold, Ada: valid, active, 1 IP addresses",
      "sold, a second IP address: refused, ip_limit_reached, 1 IP addresses",
      "requested, Ada: valid, active, 1 IP addresses",
      "revoked meanwhile, Ada: refused, revoked, 1 IP addresses",
      "reinstated, Ada: valid, active, 1 IP addresses",
      "transferred, Ada with the old key: refused, license_not_found, - IP addresses",
      "transferred, Grace with the new key: valid, active, 1 IP addresses",
      "transferred, Ada with the new key: refused, ip_limit_reached, 1 IP addresses",
    ]);
  });
});
