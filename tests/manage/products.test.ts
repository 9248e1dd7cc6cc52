import { expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { auditOf } from "../support/audit-of.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

testsOn("sqlite", "products", openManageFixture, (fixture) => {
  const own = () => `/products/${fixture.productId}`;
  const create = (body: object) =>
    fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, body);
  const statusWith = async (apiKey: string) =>
    (await apiOf(fixture.server.url, apiKey).validate({ license_key: "x" })).body.status;

  test("the creating response alone shows a product's API key, which answers product_not_found once it is deleted", async () => {
    const { body } = await create({ name: "Editor" });
    const [path, apiKey] = [`/products/${body.id}`, String(body.api_key)];
    const read = await fixture.owner.api.get(path);
    expect(read.body.api_key).toBeUndefined();
    expect(apiKey).toStartWith(read.body.api_keys[0].prefix);
    expect(read.text).not.toContain(apiKey);

    const license = await addLicense(fixture, { productId: body.id });
    const blocks = `/licenses/${license.id}/ip-blocks`;
    expect((await fixture.owner.api.get(blocks)).status).toBe(200);
    expect((await fixture.owner.api.delete(path)).status).toBe(204);
    for (const gone of [path, blocks]) expect((await fixture.owner.api.get(gone)).status).toBe(404);
    expect((await fixture.owner.api.post(`${path}/rotate-key`, {})).status).toBe(404);
    expect(await statusWith(apiKey)).toBe("product_not_found");
  });

  test("settings apply from the next request, and are in the audit log with actor and values", async () => {
    for (const [status, answer] of [
      ["disabled", "product_disabled"],
      ["archived", "product_archived"],
      ["active", "license_not_found"],
    ] as const) {
      expect((await fixture.owner.api.patch(own(), { status })).body.status).toBe(status);
      expect(await statusWith(fixture.apiKey)).toBe(answer);
    }
    expect((await auditOf(fixture, fixture.productId))[1]).toMatchObject({
      ...{ action: "product.updated", before: '{"status":"active"}', after: '{"status":"disabled"}' },
      ...{ actor_kind: "person", actor_id: fixture.owner.userId, ip: "127.0.0.1" },
    });
  });

  test("a product closed for sale accepts no new licenses, and its existing ones keep working", async () => {
    const { owner, publicApi } = fixture;
    const licenses = `${own()}/licenses`;
    const added = await owner.api.post(licenses, { customer_email: "ada@example.com" });
    const validates = async () => (await publicApi.validate({ license_key: added.body.license_key })).body;
    const before = await validates();
    const closed = await owner.api.patch(own(), { closed_for_sale: true });
    expect(closed.body).toMatchObject({ closed_for_sale: true, status: "active" });

    const refusal = { code: "product_closed_for_sale", params: { product: closed.body.name } };
    const one = { customer_email: "grace@example.com" };
    for (const body of [one, { ...one, count: 2 }, { ...one, count: 500 }, { licenses: [one] }])
      expect(await owner.api.post(licenses, body)).toMatchObject({ status: 409, body: refusal });
    const file = "customer_email\r\ngrace@example.com\r\n";
    for (const query of ["", "?dry_run=true"]) {
      const csv = { "content-type": "text/csv" };
      const refused = await owner.api.send("POST", `${licenses}/import${query}`, file, csv);
      expect(refused).toMatchObject({ status: 409, body: refusal });
    }
    expect((await owner.api.get(`${own()}/imports`)).body.data).toEqual([]);

    expect(await validates()).toEqual({ ...before, ip_registered: false });
    expect((await owner.api.patch(`/licenses/${added.body.id}`, { notes: "still ours" })).status).toBe(200);
    await owner.api.patch(own(), { closed_for_sale: false });
    expect((await owner.api.post(licenses, one)).status).toBe(201);
  });

  test("a stale update is refused and changes nothing", async () => {
    const read = await fixture.owner.api.get(own());
    const guard = { "if-match": read.headers.get("etag") ?? "" };
    expect((await fixture.owner.api.patch(own(), { name: "A" }, guard)).status).toBe(200);
    expect((await fixture.owner.api.patch(own(), { name: "B" }, guard)).status).toBe(412);
    const guarded = { name: "B", updated_at: read.body.updated_at };
    expect((await fixture.owner.api.patch(own(), guarded)).status).toBe(412);
    expect((await fixture.owner.api.get(own())).body.name).toBe("A");
  });

  test("validation errors name each field", async () => {
    const wrong = { name: "", default_max_ips: 0, max_ip: 3, ipv6_prefix: 65 };
    const { status, body } = await create(wrong);
    const errors: { field: string; message: string }[] = body.errors;
    expect([status, errors.map(({ field }) => field).sort()]).toEqual([422, Object.keys(wrong).sort()]);
    for (const { field, message } of errors) expect(message).toStartWith(field);
  });
});
