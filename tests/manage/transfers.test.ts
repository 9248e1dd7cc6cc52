import { expect, test } from "bun:test";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { allRows, problemOf } from "../support/answers.ts";
import { auditOf } from "../support/audit-of.ts";
import { openedEmails } from "../support/emails.ts";
import { addToken } from "../support/filled-organization.ts";
import { listPages } from "../support/list-pages.ts";
import { manageClient } from "../support/manage-client.ts";
import type { SignedInClient } from "../support/portal-client.ts";
import { testsOn } from "../support/tests-on.ts";
import { openTransferSeller, someoneNew } from "../support/transfer-fixture.ts";

/**
 * Which request is refused or waits is tested in the domain, the lists in the store, decisions at the same moment in
 * tests/races.
 */
testsOn("sqlite", "decisions on transfers", openTransferSeller, (seller) => {
  test("a request for a transfer waits, is shown to both sides, and changes nothing", async () => {
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
    const from = { global_customer_id: license.customerId, customer_email: license.email };
    expect(await seller.shown(body.id)).toMatchObject({
      from: { ...from, customer_name: "Ada", customer_discord_id: null },
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
    const byAda = { action: "license.transfer_requested", actor: "customer", name: "Ada" };
    expect(await seller.audited(license.id)).toEqual([byAda]);
  });

  test("an approved transfer gives the license to the recipient, with a new key and without IP addresses", async () => {
    const license = await seller.sold(seller.review, { notes: "VIP" });
    await seller.store.transaction((db) => registerIp(db, license.id, "203.0.113.7", Date.now()));
    const email = someoneNew();
    const { body: approved } = await seller.approve(await seller.requested(license, { email }));
    const decided = { decided_by: "organization", decided_by_name: "Test Person", reason: null };
    expect(approved).toMatchObject({ state: "approved", ...decided });
    const { body: after } = await seller.owner.api.get(`/licenses/${license.id}`);
    expect(after).toMatchObject({
      global_customer_id: approved.to.global_customer_id,
      customer_email: email,
      customer_name: null,
      current_unique_ip_count: 0,
      notes: "VIP",
    });
    expect(after.license_key).not.toBe(license.key);
    // The search finds it under the new customer, and the former customer's record stays.
    const organization = `/organizations/${seller.organizationId}`;
    const found = async (query: string) => allRows(seller.owner.api, `${organization}/licenses?q=${query}`);
    expect(await found(email)).toMatchObject([{ id: license.id }]);
    expect(await found(license.email)).toEqual([]);
    const former = await seller.owner.api.get(`${organization}/customers/${license.customerId}`);
    expect(former.body).toMatchObject({ email: license.email, name: "Ada" });
    expect((await seller.types(license.id)).at(-1)).toBe("license.transferred");
    const byPerson = { action: "license.transferred", actor: "person", name: "Test Person" };
    expect((await seller.audited(license.id)).at(-1)).toEqual(byPerson);
    // It is gone for the one, and there for the other.
    expect((await seller.request(license)).body.code).toBe("not_found");
    const customer = await seller.signedIn(email);
    const next = await seller.requested({ ...license, customer }, { email: license.email });
    expect((await seller.shown(next)).last_transferred_at).toBe(approved.decided_at);
  });

  test("a token of the organization decides under its own name, and IP addresses and the key stay if the product says so", async () => {
    const { token } = await seller.store.transaction((db) =>
      addToken(db, { organizationId: seller.organizationId }, Date.now(), null, ["transfers:review"]),
    );
    const productId = await seller.product({ transfer_resets_ips: false, transfer_rotates_key: false });
    const license = await seller.sold(productId);
    await seller.store.transaction((db) => registerIp(db, license.id, "203.0.113.7", Date.now()));
    const id = await seller.requested(license);
    const { body } = await manageClient(seller.url, token).post(`/transfers/${id}/approve`);
    expect(body).toMatchObject({ decided_by: "organization", decided_by_name: "Token" });
    expect((await seller.audited(license.id)).at(-1)).toMatchObject({ actor: "token", name: "Token" });
    expect(await seller.row(license.id)).toMatchObject({ license_key: license.key, ip_count: 1 });
  });

  test("a license with more IP addresses than fit into one transaction loses all of them, or none", async () => {
    const license = await seller.sold(seller.review, { max_ips: 10_000 });
    const many = 4_500;
    const rows = Array.from({ length: many }, (_, number) => {
      const ip = `10.${number >> 8}.${number & 255}.1`;
      return { license_id: license.id, ip, network: null, registered_at: 1 };
    });
    await seller.store.transaction((db) => seller.store.bulk.insert(db, "license_ips", rows));
    await seller.change("licenses", { id: license.id }, { ip_count: many });
    const id = await seller.requested(license);
    await seller.owner.api.post(`/licenses/${license.id}/revoke`, {});
    expect((await seller.approve(id)).body.code).toBe("transfer_license_revoked");
    expect((await seller.row(license.id))?.ip_count).toBe(many);
    await seller.owner.api.post(`/licenses/${license.id}/reinstate`);
    expect((await seller.approve(id)).status).toBe(200);
    expect((await seller.row(license.id))?.ip_count).toBe(0);
    const { before } = (await auditOf(seller, license.id)).at(-1) ?? {};
    expect(JSON.parse(before ?? "")).toMatchObject({ current_unique_ip_count: many });
  });

  test("the rejection of a transfer names the reason to the customer, leaves the license, and is final", async () => {
    const license = await seller.sold(seller.review);
    const id = await seller.requested(license);
    const before = await seller.row(license.id);
    const rejection = { state: "rejected", decided_by: "organization", reason: "It is part of a bundle." };
    const { body } = await seller.reject(id, rejection.reason);
    expect(body).toMatchObject({ ...rejection, decided_by_name: "Test Person" });
    expect(await seller.row(license.id)).toEqual(before);
    expect((await license.customer.get("/transfers")).body.data).toMatchObject([{ id, ...rejection }]);
    expect((await seller.types(license.id)).at(-1)).toBe("license.transfer_rejected");
    const [mail] = await openedEmails(seller.store, { to: license.email, kind: "transfer_rejected" });
    expect(mail?.body_text).toContain("Reason given by Acme:\n\nIt is part of a bundle.");
    expect((await seller.approve(id)).body.code).toBe("transfer_not_pending");
  });

  test("a customer cancels a transfer, also from another account with the email address, and the recipient cannot", async () => {
    const license = await seller.sold(seller.review);
    const email = someoneNew();
    const id = await seller.requested(license, { email });
    const cancel = (by: SignedInClient) => by.post(`/transfers/${id}/cancel`);
    const recipient = await seller.signedIn(email);
    expect((await recipient.get("/transfers")).body.data).toEqual([]);
    expect((await cancel(recipient)).body.code).toBe("not_found");
    await seller.store.transaction((db) =>
      db.deleteFrom("portal_identities").where("value", "=", license.email).execute(),
    );
    expect((await cancel(license.customer)).status).toBe(401);
    const now = await seller.signedIn(license.email);
    expect((await now.get("/transfers")).body.data).toEqual([]);
    const cancelled = { id, state: "cancelled", decided_by: "customer", reason: null };
    expect((await cancel(now)).body).toMatchObject(cancelled);
    const byAda = { action: "license.transfer_cancelled", actor: "customer", name: "Ada" };
    expect((await seller.audited(license.id)).at(-1)).toEqual(byAda);
  });

  test("while the product is disabled, a pending transfer waits, and can be decided even after transfers are turned off", async () => {
    const productId = await seller.product();
    const [license, other] = [await seller.sold(productId), await seller.sold(productId)];
    const id = await seller.requested(license);
    const change = (body: object) => seller.owner.api.patch(`/products/${productId}`, body);
    await change({ status: "disabled" });
    expect(problemOf(await seller.approve(id))).toEqual([409, "transfer_product_inactive"]);
    expect((await seller.request(other)).body.code).toBe("transfer_product_inactive");
    expect(await seller.states(license.id)).toEqual(["pending"]);
    await change({ status: "active", transfers: "off" });
    expect(problemOf(await seller.request(other))).toEqual([403, "transfers_not_offered"]);
    expect((await seller.approve(id)).status).toBe(200);
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
  });

  test("both sides list transfers in pages, the organization also by state and license, and exports them", async () => {
    const other = await seller.another();
    const productId = await other.product();
    const [a, b] = [await other.sold(productId), await other.sold(productId)];
    const rejected = await other.requested(a);
    await other.reject(rejected);
    const [first, second] = [await other.requested(a), await other.requested(b)];
    const organization = `/organizations/${other.organizationId}`;
    const pages = (query: string) => listPages(other.owner.api, `${organization}/transfers?${query}`);
    expect(await pages("limit=2")).toEqual([[second, first], [rejected]]);
    expect(await pages(`state=rejected&license_id=${a.id}`)).toEqual([[rejected]]);
    expect(await listPages(a.customer, "/transfers?limit=1")).toEqual([[first], [rejected]]);
    // The export does not have the account that requested them.
    const { text } = await other.owner.api.get(`${organization}/export`);
    const lines = text.trim().split("\n");
    const exported = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === "transfer");
    expect(exported.map(({ data }) => data.id)).toEqual([rejected, first, second]);
    expect(text).not.toContain(a.customer.personId);
  });
});
