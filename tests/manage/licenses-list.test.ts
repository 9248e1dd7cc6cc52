import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

interface Shown {
  id: string;
  license_key: string;
  created_at: string;
  updated_at: string;
  expires_at: string | null;
}

describe.each(databases)("listing and searching licenses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  let otherProductId: string;
  const made: Record<string, Shown> = {};
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
    path = `/organizations/${fixture.organizationId}/licenses`;
    const other = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "B",
    });
    otherProductId = other.body.id;
    const create = async (name: string, body: object, productId = fixture.productId) => {
      made[name] = (
        await fixture.owner.api.post(`/products/${productId}/licenses`, {
          license_key: `key-${name}`,
          customer_email: `${name}@example.com`,
          ...body,
        })
      ).body;
    };
    await create("plain", {});
    await create("expired", { expires_at: "2020-01-01T00:00:00Z" });
    await create("soon", { expires_in_seconds: 3 * 86_400, tags: ["VIP", "beta"] });
    await create("later", { expires_in_seconds: 30 * 86_400, notes: "Paid 100% by Ada_Lovelace" });
    await create("term", { term_seconds: 60, customer_name: "Žofie Nováková" });
    await create("revoked", { expires_at: "2020-01-01T00:00:00Z" });
    await create("elsewhere", { tags: ["VIP"] }, otherProductId);
    await fixture.owner.api.post(`/licenses/${made.revoked?.id}/revoke`);
    for (const ip of ["203.0.113.1", "203.0.113.2"])
      await fixture.owner.api.post(`/licenses/${made.later?.id}/ips`, { ip });
    await fixture.publicApi.validate({ license_key: "key-plain" });
  });
  afterAll(() => fixture.close());

  const names = (data: Shown[]) => data.map((one) => one.license_key.replace("key-", ""));
  const list = async (query: string, at = path) => (await fixture.owner.api.get(`${at}?${query}`)).body;

  const all = ["elsewhere", "revoked", "term", "later", "soon", "expired", "plain"];
  const queries: [query: string, names: string[]][] = [
    ["", all],
    ["order=asc", all.toReversed()],
    ["status=active", ["elsewhere", "term", "later", "soon", "plain"]],
    ["status=expired", ["expired"]],
    ["status=revoked", ["revoked"]],
    ["tag=VIP", ["elsewhere", "soon"]],
    ["tag=vip", []],
    ["expires_within_days=7", ["soon"]],
    ["expires_within_days=40", ["later", "soon"]],
    ["never_used=false", ["plain"]],
    ["never_used=true", all.filter((name) => name !== "plain")],
    ["min_ips=2", ["later"]],
    ["has_notes=true", ["later"]],
    ["sort=expires_at&order=asc&status=active", ["soon", "later", "plain", "term", "elsewhere"]],
    ["q=KEY-S", ["soon"]],
    ["q=ey-so", ["soon"]],
    ["q=KEYSOON", ["soon"]],
    ["q=nováková%20ŽOFIE", ["term"]],
    ["q=lovelace%20paid%20keylater", ["later"]],
    ["q=lovelace%20nobody", []],
    ["q=---", []],
    ["q=later%40example", ["later"]],
    ["q=ada_love", ["later"]],
    ["q=100%25%20by", ["later"]],
    ["q=adaxlove", []],
    ["q=ŽOFIE", ["term"]],
    ["q=žofi", ["term"]],
    ["q=bet", ["soon"]],
    ["q=%22%27%3B", []],
    ["q=example.com", all],
    ["q=comada", []],
    ["q=example&status=active&tag=VIP", ["elsewhere", "soon"]],
  ];
  test.each(queries)("%p finds %j", async (query, expected) => {
    const { data, next_cursor, total, total_is_exact } = await list(`${query}&count=true`);
    expect(names(data)).toEqual(expected);
    expect({ next_cursor, total, total_is_exact }).toEqual({
      next_cursor: null,
      total: expected.length,
      total_is_exact: true,
    });
    const paged: Shown[] = [];
    for (let cursor = ""; ; ) {
      const page = await list(`${query}&limit=1${cursor}`);
      paged.push(...page.data);
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(names(paged)).toEqual(expected);
  });

  test("sorting by updated_at puts the latest change first", async () => {
    await fixture.owner.api.patch(`/licenses/${made.soon?.id}`, { notes: null, max_ips: 5 });
    const { data } = await list("sort=updated_at&limit=1");
    expect(names(data)).toEqual(["soon"]);
  });

  test("a product's list contains only its licenses, and a foreign product yields none, like an unknown one", async () => {
    expect(names((await list("", `/products/${otherProductId}/licenses`)).data)).toEqual(["elsewhere"]);
    expect(names((await list(`product_id=${otherProductId}`)).data)).toEqual(["elsewhere"]);
    const otherUser = await fixture.person();
    const foreign = await otherUser.api.post("/organizations", { name: "Foreign" });
    const product = await otherUser.api.post(`/organizations/${foreign.body.id}/products`, { name: "F" });
    await otherUser.api.post(`/products/${product.body.id}/licenses`, {
      customer_email: "plain@example.com",
    });
    expect((await list(`product_id=${product.body.id}`)).data).toEqual([]);
    expect((await list("product_id=nothing")).data).toEqual([]);
    expect(names((await list("q=example.com")).data)).toEqual(all);
    const theirs = await otherUser.api.get(`/organizations/${foreign.body.id}/licenses?q=example`);
    expect(theirs.body.data).toHaveLength(1);
  });

  test("licenses are found by customer ID", async () => {
    const license = made.later as Shown & { global_customer_id: string };
    expect(names((await list(`customer_id=${license.global_customer_id}`)).data)).toEqual(["later"]);
    expect((await list("customer_id=nobody")).data).toEqual([]);
  });

  test("licenses of a deleted product are in no list", async () => {
    const product = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "C",
    });
    const license = await fixture.owner.api.post(`/products/${product.body.id}/licenses`, {
      customer_email: "gone@example.com",
      tags: ["doomed"],
    });
    expect((await list("tag=doomed")).data).toHaveLength(1);
    await fixture.owner.api.delete(`/products/${product.body.id}`);
    for (const query of ["tag=doomed", "q=gone@example", `customer_id=${license.body.global_customer_id}`])
      expect((await list(query)).data).toEqual([]);
    expect(names((await list("")).data)).toEqual(all);
  });

  const wrong: [query: string, field: string][] = [
    ["q=ab", "q"],
    ["q=%20%20ab%20", "q"],
    ["status=dead", "status"],
    ["min_ips=none", "min_ips"],
    ["expires_within_days=-1", "expires_within_days"],
    ["never_used=yes", "never_used"],
    ["sort=name", "sort"],
    ["limit=201", "limit"],
    ["cursor=nonsense", "cursor"],
  ];
  test.each(wrong)("%p is refused and names %p", async (query, field) => {
    const { status, body } = await fixture.owner.api.get(`${path}?${query}`);
    expect(status).toBe(422);
    expect(body.errors[0].field).toBe(field);
  });

  test("listing needs licenses:view, and outsiders get 404", async () => {
    const creator = await fixture.member(["licenses:create", "products:view"]);
    const otherUser = await fixture.person();
    for (const at of [path, `/products/${fixture.productId}/licenses`]) {
      expect((await creator.api.get(at)).status).toBe(403);
      expect((await otherUser.api.get(at)).status).toBe(404);
      expect((await fixture.anonymous.get(at)).status).toBe(401);
    }
  });

  test("pages neither repeat nor omit existing licenses while others are created and deleted", async () => {
    const product = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "D",
    });
    const at = `/products/${product.body.id}/licenses`;
    const batch = await fixture.owner.api.post(at, { customer_email: "d@example.com", count: 100 });
    const ids: string[] = batch.body.data.map((one: Shown) => one.id);
    const removed = new Set(ids.filter((_, index) => index % 10 === 5));
    const seen: string[] = [];
    let page = 0;
    for (let cursor = ""; ; page++) {
      const { body } = await fixture.owner.api.get(`${at}?limit=7${cursor}`);
      seen.push(...body.data.map((one: Shown) => one.id));
      if (page === 3) {
        await fixture.owner.api.post(at, { customer_email: "d@example.com", count: 10 });
        for (const id of removed) await fixture.owner.api.delete(`/licenses/${id}`);
      }
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(new Set(seen).size).toBe(seen.length);
    const stayed = ids.filter((id) => !removed.has(id));
    expect(stayed.filter((id) => !seen.includes(id))).toEqual([]);
  });
});
