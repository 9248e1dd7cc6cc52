import { describe, expect, test } from "bun:test";
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
    const limit = async (changes: object) => {
      const changed = await fixture.admin.api.patch(`/admin${path}`, changes);
      expect(changed.status, changed.text).toBe(200);
    };
    await limit(overrides);
    const { body: roles } = await api.get(`${path}/roles`);
    return {
      ...{ person, api, path, limit, productId: String(product.id) },
      licenses: `/products/${product.id}/licenses`,
      invite: (email: string) => api.post(`${path}/invitations`, { email, role_id: roles.data[0].id }),
    };
  };
  const customer = { customer_email: "buyer@example.com" };
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
    const { api, licenses } = await organization({ max_licenses_override: 3 });
    expect((await api.post(licenses, customer)).status).toBe(201);
    expect(await api.post(licenses, { ...customer, count: 3 })).toMatchObject(
      refused("license_limit_reached", 3, 1),
    );
    expect((await api.post(licenses, { ...customer, count: 2 })).status).toBe(201);
    const full = await api.post(licenses, customer);
    expect(full).toMatchObject(refused("license_limit_reached", 3, 3));
    expect(full.body.detail).toContain("The Enterprise plan limits licenses to 3");
    const { body } = await api.get(licenses);
    expect(body.data).toHaveLength(3);
    // What exists keeps working and can be changed.
    const license = `/licenses/${body.data[0].id}`;
    const moved = await api.patch(license, { notes: "Changed", customer_email: "other@example.com" });
    expect([moved.status, moved.body.customer_email]).toEqual([200, "other@example.com"]);
    expect((await api.delete(license)).status).toBe(204);
    expect((await api.post(licenses, customer)).status).toBe(201);
  });

  test("a large order that does not fit creates nothing, and a repeated one that fits continues", async () => {
    const { api, licenses } = await organization({ max_licenses_override: 200 });
    expect(await api.post(licenses, { ...customer, count: 201 })).toMatchObject(
      refused("license_limit_reached", 200, 0),
    );
    expect((await api.get(licenses)).body.data).toEqual([]);
    const headers = { "idempotency-key": crypto.randomUUID() };
    const order = { ...customer, count: 200 };
    const first = await api.post(licenses, order, headers);
    const again = await api.post(licenses, order, headers);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(first.text);
  });

  test("there are no more members than the limit, with the owner and open invitations", async () => {
    const { invite, limit } = await organization({ max_members_override: 3 });
    const [guest, other] = [await fixture.person(), await fixture.person()];
    const [first, second] = [await invite(guest.email), await invite(other.email)];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(await invite("third@example.com")).toMatchObject(refused("member_limit_reached", 3, 3));
    const accept = (person: typeof guest, invitation: typeof first) =>
      person.api.post(`/invitations/${String(invitation.body.link).split("/").at(-1)}/accept`);
    expect((await accept(guest, first)).status).toBe(200);
    expect(await invite("third@example.com")).toMatchObject(refused("member_limit_reached", 3, 3));
    await limit({ max_members_override: 2 });
    expect(await accept(other, second)).toMatchObject(refused("member_limit_reached", 2, 2));
    await limit({ max_members_override: 3 });
    expect((await accept(other, second)).status).toBe(200);
  });

  test("an expired invitation makes room, and is counted when it is sent again", async () => {
    const { api, path, invite } = await organization({ max_members_override: 2 });
    const { body: late } = await invite("late@example.com");
    await fixture.change("invitations", { id: late.id }, { expires_at: 1, mailed_at: 1 });
    expect((await invite("quick@example.com")).status).toBe(201);
    expect(await api.post(`${path}/invitations/${late.id}/resend`)).toMatchObject(
      refused("member_limit_reached", 2, 2),
    );
  });

  describe("of licenses in imports", () => {
    const imported = async (org: Awaited<ReturnType<typeof organization>>, count: number, query: string) => {
      const rows = Array.from({ length: count }, (_, row) => [`KEY-${row}`, "buyer@example.com"]);
      const file = csvFile(["license_key", "customer_email"], ...rows);
      return importFile({ ...fixture, owner: org.person }, file, query, { productId: org.productId });
    };

    test("an import that does not fit imports nothing, and says so before", async () => {
      const org = await organization({ max_licenses_override: 4 });
      await org.api.post(org.licenses, customer);
      const dry = await imported(org, 5, "?dry_run=true");
      expect(dry).toMatchObject({ state: "finished", created: 3, failed: 2, failure: null });
      expect(await imported(org, 5, "")).toMatchObject({
        state: "failed",
        created: 0,
        failed: 2,
        failure: {
          code: "import_license_limit_reached",
          params: { plan: "Enterprise", limit: 4, used: 1 },
        },
      });
      expect((await org.api.get(org.licenses)).body.data).toHaveLength(1);
      expect(await imported(org, 3, "")).toMatchObject({ state: "finished", created: 3 });
    });

    test("row by row, an import creates what fits and names the other rows", async () => {
      const org = await organization({ max_licenses_override: 2 });
      const job = await imported(org, 4, "?mode=row_by_row");
      expect(job).toMatchObject({ state: "finished", created: 2, failed: 2 });
      const params = { plan: "Enterprise", limit: 2 };
      const error = { field: "row", code: "over_license_limit", params, column: null };
      expect(job.errors).toMatchObject([
        { row: 4, ...error },
        { row: 5, ...error },
      ]);
      const rejected = await org.api.get(`/products/${org.productId}/imports/${job.id}/rejected-rows`);
      expect(rejected.body.data).toMatchObject([{ cells: ["KEY-2", "buyer@example.com"] }, {}]);
      // Existing licenses can still be updated.
      const update = await imported(org, 2, "?mode=row_by_row&on_existing=update");
      expect(update).toMatchObject({ updated: 2, failed: 0 });
    });
  });
});
