import { expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { auditOf } from "../support/audit-of.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
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

  test("settings of a product apply from the next request unless they are stale, and are in the audit log", async () => {
    const before = await fixture.owner.api.get(own());
    const guard = { "if-match": before.headers.get("etag") ?? "" };
    expect((await fixture.owner.api.patch(own(), { status: "disabled" }, guard)).body.status).toBe(
      "disabled",
    );
    expect(await statusWith(fixture.apiKey)).toBe("product_disabled");
    const stale = { status: "archived", updated_at: before.body.updated_at };
    expect((await fixture.owner.api.patch(own(), stale)).status).toBe(412);
    expect((await fixture.owner.api.patch(own(), { status: "archived" }, guard)).status).toBe(412);
    expect((await fixture.owner.api.patch(own(), { status: "active" })).body.status).toBe("active");
    expect(await statusWith(fixture.apiKey)).toBe("license_not_found");
    expect((await auditOf(fixture, fixture.productId)).slice(1)).toMatchObject([
      {
        ...{ action: "product.updated", before: '{"status":"active"}', after: '{"status":"disabled"}' },
        ...{ actor_kind: "person", actor_id: fixture.owner.userId, ip: "127.0.0.1" },
      },
      { action: "product.updated", before: '{"status":"disabled"}', after: '{"status":"active"}' },
    ]);
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
    for (const body of [one, { ...one, count: 500 }, { licenses: [one] }])
      expect(await owner.api.post(licenses, body)).toMatchObject({ status: 409, body: refusal });
    const file = "customer_email\r\ngrace@example.com\r\n";
    const csv = { "content-type": "text/csv" };
    const refused = await owner.api.send("POST", `${licenses}/import?dry_run=true`, file, csv);
    expect(refused).toMatchObject({ status: 409, body: refusal });
    expect((await owner.api.get(`${own()}/imports`)).body.data).toEqual([]);

    expect(await validates()).toEqual({ ...before, ip_registered: false });
    expect((await owner.api.patch(`/licenses/${added.body.id}`, { notes: "still ours" })).status).toBe(200);
    await owner.api.patch(own(), { closed_for_sale: false });
    expect((await owner.api.post(licenses, one)).status).toBe(201);
  });

  test("the refusal of a product names each wrong field", async () => {
    const wrong = { name: "", default_max_ips: 0, max_ip: 3, ipv6_prefix: 65 };
    const { status, body } = await create(wrong);
    const errors: { field: string; message: string }[] = body.errors;
    expect([status, errors.map(({ field }) => field).sort()]).toEqual([422, Object.keys(wrong).sort()]);
    for (const { field, message } of errors) expect(message).toStartWith(field);
  });
});

/** What is wrong with a template, and what it renders: packages/domain/custom-response. */
testsOn("sqlite", "custom responses", openManageFixture, (fixture) => {
  const path = () => `/products/${fixture.productId}`;
  const preview = (body: object) => fixture.owner.api.post(`${path()}/custom-response/preview`, body);
  const patch = (json: string) =>
    fixture.owner.api.send("PATCH", path(), `{"custom_response":${json}}`, {
      "content-type": "application/json",
    });

  test("an invalid template is refused with the path to what is wrong, wherever it is sent", async () => {
    const custom_response = { user: { names: ["ok", "{{customer.nmae}}"] }, mail: "{{customer.email}}" };
    const { status, body } = await fixture.owner.api.patch(path(), { custom_response });
    expect([status, body.errors.length]).toEqual([422, 1]);
    expect(body.errors[0]).toMatchObject({
      field: "custom_response.user.names.1",
      code: "unknown_placeholder",
      params: { placeholder: "{{customer.nmae}}" },
    });
    const products = `/organizations/${fixture.organizationId}/products`;
    const created = await fixture.owner.api.post(products, { name: "X", custom_response });
    expect(refusal(created)).toEqual([422, "custom_response.user.names.1"]);
    expect(refusal(await preview({ template: custom_response }))).toEqual([422, "template.user.names.1"]);
    expect(refusal(await preview({ override: { a: "{{x}}" } }))).toEqual([422, "override.a"]);
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    const large = await patch(JSON.stringify({ a: "x".repeat(20_000) }));
    expect(large.body.errors).toMatchObject([{ code: "json_too_large", params: { max_kib: 16 } }]);
    expect(refusal(large)).toEqual([422, "custom_response"]);
    expect(refusal(await patch(nested(33)))).toEqual([422, `custom_response${".a".repeat(32)}`]);
    expect(refusal(await patch(nested(5_000)))).toEqual([422, "body"]);
    expect((await patch(nested(32))).status).toBe(200);
    const changed = await patch('{"__proto__":{"polluted":true},"plan":"pro"}');
    expect(changed.text).toContain('"custom_response":{"plan":"pro"}');
  });

  test("a preview of a response without a license uses sample values and stores nothing", async () => {
    const custom_response = { plan: "pro", to: "{{customer.email}}" };
    await fixture.owner.api.patch(path(), { custom_response });
    expect((await preview({})).body).toEqual({ custom: { plan: "pro", to: "ada@example.com" } });
    const other = await preview({
      template: { seats: "{{license.max_ips}}", of: "{{product.name}} by {{organization.name}}" },
      override: { seats: null, extra: "{{request.version}}" },
      sample: { "request.version": "9.9" },
    });
    expect(other.body.custom).toEqual({ of: "Plugin by Acme", extra: "9.9" });
    expect((await preview({ template: null })).body.custom).toBeNull();
    expect((await fixture.owner.api.get(path())).body.custom_response).toEqual(custom_response);
    expect((await preview({ sample: { "customer.mail": "x" } })).status).toBe(422);
  });

  test("a preview of a license equals the validate response, and needs licenses:view", async () => {
    const license = await addLicense(fixture, {
      customer: { email: "bob@example.com", name: "Bob", discordId: "123" },
      customOverride: JSON.stringify({ tier: "gold", plan: null }),
      maxIps: 4,
    });
    const names = [
      "customer.discord_id",
      "license.key",
      "license.max_ips",
      "license.expires_at",
      "license.id",
    ];
    const placeholders = Object.fromEntries(names.map((name) => [name, `{{${name}}}`]));
    const who = "{{customer.name}} <{{customer.email}}>";
    await fixture.owner.api.patch(path(), {
      custom_response_enabled: true,
      custom_response: { ...placeholders, plan: "pro", who, count: "{{license.ip_count}}" },
    });
    // The first validation registers the IP address, so that both results count it.
    await fixture.publicApi.validate({ license_key: license.key });
    const validated = await fixture.publicApi.validate({ license_key: license.key });
    const shown = await preview({ license_id: license.id });
    expect(shown.body.custom).toEqual(validated.body.custom);
    expect(shown.body.custom.who).toBe("Bob <bob@example.com>");

    const { id: productId } = await licensesOf(fixture).newProduct();
    const elsewhere = await addLicense(fixture, { productId });
    expect((await preview({ license_id: elsewhere.id })).status).toBe(404);
    const { api } = await fixture.member(["products:view"]);
    const call = (body: object) => api.post(`${path()}/custom-response/preview`, body);
    expect((await call({})).status).toBe(200);
    const refused = await call({ license_id: license.id });
    expect(refused.status).toBe(403);
    expect(refused.text).not.toContain("bob@example.com");
  });
});
