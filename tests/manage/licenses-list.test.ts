import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

interface Shown {
  readonly id: string;
  readonly license_key: string;
  readonly global_customer_id: string;
}

/** What each filter finds is tested in packages/store/queries/licenses. */
describe.each(on("sqlite"))("listing and searching licenses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  let otherProductId: string;
  const made: Record<string, Shown> = {};
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    path = `/organizations/${fixture.organizationId}/licenses`;
    const products = `/organizations/${fixture.organizationId}/products`;
    otherProductId = (await fixture.owner.api.post(products, { name: "B" })).body.id;
    const create = async (name: string, body: object, productId = fixture.productId) => {
      const common = { license_key: `key-${name}`, customer_email: `${name}@example.com` };
      const answer = await fixture.owner.api.post(`/products/${productId}/licenses`, { ...common, ...body });
      made[name] = answer.body;
    };
    await create("plain", {});
    await create("expired", { expires_at: "2020-01-01T00:00:00Z" });
    await create("soon", { expires_in_seconds: 3 * 86_400, tags: ["VIP", "beta"] });
    await create("noted", { expires_in_seconds: 30 * 86_400, notes: "Paid 100% by Ada_Lovelace" });
    await create("revoked", { customer_name: "Žofie Nováková" });
    await create("elsewhere", { tags: ["VIP"] }, otherProductId);
    await fixture.owner.api.post(`/licenses/${made.revoked?.id}/revoke`);
    await fixture.owner.api.post(`/licenses/${made.noted?.id}/ips`, { ip: "203.0.113.1" });
    await fixture.publicApi.validate({ license_key: "key-plain" });
  });
  afterAll(() => fixture.close());

  const names = (data: Shown[]) => data.map((one) => one.license_key.replace("key-", ""));
  const list = async (query: string, at = path) => (await fixture.owner.api.get(`${at}?${query}`)).body;

  const all = ["elsewhere", "revoked", "noted", "soon", "expired", "plain"];
  const queries: [query: () => string, names: string[]][] = [
    [() => "", all],
    [() => "order=asc", all.toReversed()],
    [() => "sort=updated_at&order=asc&has_notes=true", ["noted"]],
    [() => "sort=expires_at&order=asc&never_used=true&status=active", ["soon", "noted", "elsewhere"]],
    [() => "status=expired", ["expired"]],
    [() => "status=revoked", ["revoked"]],
    [() => "tag=VIP", ["elsewhere", "soon"]],
    [() => "expires_within_days=7", ["soon"]],
    [() => "never_used=false&min_ips=1", ["plain"]],
    [() => `product_id=${otherProductId}`, ["elsewhere"]],
    [() => `customer_id=${made.noted?.global_customer_id}`, ["noted"]],
    [() => "q=KEYSOON", ["soon"]],
    [() => "q=100%25%20by", ["noted"]],
    [() => "q=nováková%20ŽOFIE", ["revoked"]],
    [() => "product_id=nothing", []],
  ];
  test("each parameter of the query has its effect, also on the pages and the count", async () => {
    for (const [query, expected] of queries) {
      const { data, next_cursor, total, total_is_exact } = await list(`${query()}&count=true`);
      expect([query(), names(data)]).toEqual([query(), expected]);
      expect({ next_cursor, total, total_is_exact }).toEqual({
        next_cursor: null,
        total: expected.length,
        total_is_exact: true,
      });
    }
    const paged: Shown[] = [];
    for (let cursor = ""; ; ) {
      const page = await list(`limit=2&status=active${cursor}`);
      paged.push(...page.data);
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(names(paged)).toEqual(["elsewhere", "noted", "soon", "plain"]);
    expect(names((await list("", `/products/${otherProductId}/licenses`)).data)).toEqual(["elsewhere"]);
    expect((await fixture.owner.api.get(`${path}?min_ips=none`)).body.errors[0].field).toBe("min_ips");
  });

  test("a license that was changed is the first in the order of changes", async () => {
    await fixture.owner.api.patch(`/licenses/${made.soon?.id}`, { max_ips: 5 });
    expect(names((await list("sort=updated_at&limit=1")).data)).toEqual(["soon"]);
  });

  test("another organization's product yields no licenses, like an unknown one", async () => {
    const otherUser = await fixture.person();
    const foreign = await otherUser.api.post("/organizations", { name: "Foreign" });
    const product = await otherUser.api.post(`/organizations/${foreign.body.id}/products`, { name: "F" });
    const created = { customer_email: "plain@example.com" };
    await otherUser.api.post(`/products/${product.body.id}/licenses`, created);
    expect((await list(`product_id=${product.body.id}`)).data).toEqual([]);
    expect((await list("q=plain@example")).data).toHaveLength(1);
    const theirs = await otherUser.api.get(`/organizations/${foreign.body.id}/licenses?q=example`);
    expect(theirs.body.data).toHaveLength(1);
  });

  test("a deleted product takes its licenses from every list", async () => {
    const products = `/organizations/${fixture.organizationId}/products`;
    const { body: product } = await fixture.owner.api.post(products, { name: "C" });
    await addLicense(fixture, { productId: product.id, tags: ["doomed"] });
    expect((await list("tag=doomed")).data).toHaveLength(1);
    await fixture.owner.api.delete(`/products/${product.id}`);
    expect((await list("tag=doomed")).data).toEqual([]);
  });

  test("tags and searches accept every visible character", async () => {
    const odd = ["%", "_", "\\", "'", '"', "; drop table licenses", "😀", "*", "ﬁ", "a|b", "<b>"];
    const at = `/products/${otherProductId}/licenses`;
    const { body } = await fixture.owner.api.post(at, { customer_email: "odd@example.com", tags: odd });
    expect(body.tags).toHaveLength(odd.length);
    for (const tag of odd) {
      const { data } = await list(`tag=${encodeURIComponent(tag)}`);
      expect(data.map((one: Shown) => one.id)).toEqual([body.id]);
    }
    for (const q of ["%%%", "___", "'''", '"""', "***", "OR NOT", "a|b", "(((", "\\\\\\"])
      expect((await fixture.owner.api.get(`${path}?q=${encodeURIComponent(q)}`)).status).toBe(200);
  });

  test("a cursor is valid for one list and one order", async () => {
    const refused = async (at: string, cursor: string) => {
      const { status, body } = await fixture.owner.api.get(
        `${at}${at.includes("?") ? "&" : "?"}cursor=${cursor}`,
      );
      expect([at, cursor, status, body.errors?.[0].field]).toEqual([at, cursor, 422, "cursor"]);
    };
    const page = `${path}?limit=1`;
    const { next_cursor: cursor } = await list("limit=1");
    const [name, at, last] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const forged = [
      [name, "1", last],
      [name, 1.5, last],
      [name, 1e300, last],
      [name, null, last],
      [name, at, "a\u0000"],
      [name, at, 5],
      [name, at],
      [at, last],
      ["bulk ids", at, last],
    ].map((values) => Buffer.from(JSON.stringify(values)).toString("base64url"));
    for (const wrong of [...forged, "", "%00", "x".repeat(2_000), "nonsense"]) await refused(page, wrong);
    for (const other of ["sort=expires_at", "sort=updated_at", "order=asc"])
      await refused(`${page}&${other}`, cursor);
    const audit = await fixture.owner.api.get(`/organizations/${fixture.organizationId}/audit-log?limit=1`);
    await refused(page, audit.body.next_cursor);
    await refused(`/licenses/${made.plain?.id}/ips`, cursor);
    for (const foreign of [cursor, "", "x"]) {
      const order = { action: "revoke", selection: { ids: [made.plain?.id] }, cursor: foreign };
      const { status, body } = await fixture.owner.api.post(`${path}/bulk`, order);
      expect([status, body.errors[0].field]).toEqual([422, "cursor"]);
    }
  });
});
