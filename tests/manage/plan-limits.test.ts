import { expect, test } from "bun:test";
import { csvFile, importFile } from "../support/license-files.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

/**
 * What exceeds a limit keeps working; nothing can be added. `plans.test.ts` of the store shows which limit
 * applies.
 */
testsOn("postgres", "the limits of an organization", openManageFixture, (fixture) => {
  /** A new organization of a new owner, with one product. */
  const organization = async (overrides: object) => {
    const person = await fixture.person();
    const { api } = person;
    const { body } = await api.post("/organizations", { name: "Limited" });
    const path = `/organizations/${body.id}`;
    const { body: product } = await api.post(`${path}/products`, { name: "First" });
    const productId = String(product.id);
    const limit = async (changes: object) => {
      const changed = await fixture.admin.api.patch(`/admin${path}`, changes);
      expect(changed.status, changed.text).toBe(200);
    };
    await limit(overrides);
    const list = `/products/${productId}/licenses`;
    const order = (more: object = {}, headers: Record<string, string> = {}) =>
      api.post(list, { customer_email: "buyer@example.com", ...more }, headers);
    const licenses = async () => (await api.get(list)).body.data;
    const imported = (count: number, query: string) => {
      const rows = Array.from({ length: count }, (_, row) => [`KEY-${row}`, "buyer@example.com"]);
      const file = csvFile(["license_key", "customer_email"], ...rows);
      return importFile({ ...fixture, owner: person }, file, query, { productId });
    };
    return { api, path, productId, limit, order, licenses, imported };
  };
  const refused = (code: string, limit: number, used: number) => ({
    status: 403,
    body: { code, params: { plan: "Enterprise", limit, used } },
  });

  test.each([
    ["products", "max_products_override", "product_limit_reached", { name: "Another" }],
    ["webhooks", "max_webhooks_override", "webhook_plan_limit_reached", { url: "https://example.com/hook" }],
  ])(
    "there are no more %s than the limit, until one is deleted or the limit is raised",
    async (what, limited, code, body) => {
      const { api, path, productId, limit } = await organization({ [limited]: 2 });
      const below = what === "products" ? "/products" : `${path}/webhooks`;
      const add = () => api.post(`${path}/${what}`, body);
      const first = what === "products" ? productId : (await add()).body.id;
      expect((await add()).status).toBe(201);
      expect(await add()).toMatchObject(refused(code, 2, 2));
      expect((await api.delete(`${below}/${first}`)).status).toBe(204);
      expect((await add()).status).toBe(201);
      await limit({ [limited]: 1 });
      expect(await add()).toMatchObject(refused(code, 1, 2));
      await limit({ [limited]: null });
      expect((await add()).status).toBe(201);
    },
  );

  test("there are no more licenses than the limit, one by one or together, and a transfer adds none", async () => {
    const { api, order, licenses, limit } = await organization({ max_licenses_override: 3 });
    expect((await order()).status).toBe(201);
    expect(await order({ count: 3 })).toMatchObject(refused("license_limit_reached", 3, 1));
    expect((await order({ count: 2 })).status).toBe(201);
    const full = await order();
    expect(full).toMatchObject(refused("license_limit_reached", 3, 3));
    expect(full.body.detail).toContain("The Enterprise plan limits licenses to 3");
    const [first, ...others] = await licenses();
    expect(others).toHaveLength(2);
    // What exists keeps working and can be changed.
    const moved = await api.patch(`/licenses/${first.id}`, { customer_email: "other@example.com" });
    expect([moved.status, moved.body.customer_email]).toEqual([200, "other@example.com"]);
    expect((await api.delete(`/licenses/${first.id}`)).status).toBe(204);
    expect((await order()).status).toBe(201);
    // A large order creates nothing if it does not fit. One that fits exactly can be repeated.
    await limit({ max_licenses_override: 203 });
    expect(await order({ count: 201 })).toMatchObject(refused("license_limit_reached", 203, 3));
    expect(await licenses()).toHaveLength(3);
    const headers = { "idempotency-key": crypto.randomUUID() };
    const large = await order({ count: 200 }, headers);
    const again = await order({ count: 200 }, headers);
    expect([large.status, again.status, again.text]).toEqual([201, 201, large.text]);
  });

  test("there are no more members than the limit, with the owner and invitations until they expire", async () => {
    const { api, path, limit } = await organization({ max_members_override: 3 });
    const [guest, other] = [await fixture.person(), await fixture.person()];
    const { body: roles } = await api.get(`${path}/roles`);
    const invite = (email: string) => api.post(`${path}/invitations`, { email, role_id: roles.data[0].id });
    const accept = ({ api }: typeof guest, link: string) =>
      api.post(`/invitations/${link.split("/").at(-1)}/accept`);
    const [first, second] = [await invite(guest.email), await invite(other.email)];
    expect(await invite("third@example.com")).toMatchObject(refused("member_limit_reached", 3, 3));
    expect((await accept(guest, first.body.link)).status).toBe(200);
    expect(await invite("third@example.com")).toMatchObject(refused("member_limit_reached", 3, 3));
    await limit({ max_members_override: 2 });
    expect(await accept(other, second.body.link)).toMatchObject(refused("member_limit_reached", 2, 2));
    await limit({ max_members_override: 3 });
    await fixture.change("invitations", { id: second.body.id }, { expires_at: 1, mailed_at: 1 });
    const { body: quick } = await invite("quick@example.com");
    const resent = () => api.post(`${path}/invitations/${second.body.id}/resend`);
    expect(await resent()).toMatchObject(refused("member_limit_reached", 3, 3));
    expect((await api.delete(`${path}/invitations/${quick.id}`)).status).toBe(204);
    const { status, body } = await resent();
    expect([status, (await accept(other, body.link)).status]).toEqual([200, 200]);
  });

  test("an import that exceeds the limit imports nothing, and says so before", async () => {
    const { order, licenses, imported } = await organization({ max_licenses_override: 4 });
    await order();
    const dry = await imported(5, "?dry_run=true");
    expect(dry).toMatchObject({ state: "finished", created: 3, failed: 2, failure: null });
    const params = { plan: "Enterprise", limit: 4, used: 1 };
    const failure = { code: "import_license_limit_reached", params };
    expect(await imported(5, "")).toMatchObject({ state: "failed", created: 0, failed: 2, failure });
    expect(await licenses()).toHaveLength(1);
    expect(await imported(3, "")).toMatchObject({ state: "finished", created: 3 });
  });

  test("an import row by row creates licenses up to the limit and names the other rows", async () => {
    const { api, productId, imported } = await organization({ max_licenses_override: 2 });
    const job = await imported(4, "?mode=row_by_row");
    expect(job).toMatchObject({ state: "finished", created: 2, failed: 2 });
    const params = { plan: "Enterprise", limit: 2 };
    const error = { field: "row", code: "over_license_limit", params, column: null };
    expect(job.errors).toMatchObject([4, 5].map((row) => ({ row, ...error })));
    const rejected = await api.get(`/products/${productId}/imports/${job.id}/rejected-rows`);
    expect(rejected.body.data).toMatchObject([{ cells: ["KEY-2", "buyer@example.com"] }, {}]);
    // Existing licenses can still be updated.
    const update = await imported(2, "?mode=row_by_row&on_existing=update");
    expect(update).toMatchObject({ updated: 2, failed: 0 });
  });
});
