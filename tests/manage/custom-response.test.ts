import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

describe.each(databases)("custom responses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
    path = `/products/${fixture.productId}`;
  });
  afterAll(() => fixture.close());

  const preview = (body: object) => fixture.owner.api.post(`${path}/custom-response/preview`, body);

  test("an unknown placeholder is refused with its path", async () => {
    const custom_response = { user: { names: ["ok", "{{customer.nmae}}"] }, mail: "{{customer.email}}" };
    const { status, body } = await fixture.owner.api.patch(path, { custom_response });
    expect(status).toBe(422);
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].field).toBe("custom_response.user.names.1");
    expect(body.errors[0]).toMatchObject({
      code: "unknown_placeholder",
      params: { placeholder: "{{customer.nmae}}" },
    });
    const made = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "X",
      custom_response,
    });
    expect(made.status).toBe(422);
    expect((await preview({ template: custom_response })).body.errors[0].field).toBe("template.user.names.1");
    expect((await preview({ override: { a: "{{x}}" } })).body.errors[0].field).toBe("override.a");
  });

  test("size and depth are limited", async () => {
    const large = await fixture.owner.api.patch(path, { custom_response: { a: "x".repeat(20_000) } });
    expect(large.status).toBe(422);
    expect(large.body.errors[0]).toEqual({
      field: "custom_response",
      code: "json_too_large",
      params: { max_kib: 16 },
      message: "custom_response must be at most 16 KiB of JSON.",
    });
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    for (const [depth, field] of [
      [33, `custom_response${".a".repeat(32)}`],
      [5_000, "body"],
    ] as const) {
      const json = `{"custom_response":${nested(depth)}}`;
      const deep = await fixture.owner.api.send("PATCH", path, json, { "content-type": "application/json" });
      expect(deep.status).toBe(422);
      expect(deep.body.errors[0].field).toBe(field);
    }
    const most = `{"custom_response":${nested(32)}}`;
    const json = { "content-type": "application/json" };
    expect((await fixture.owner.api.send("PATCH", path, most, json)).status).toBe(200);
    for (const custom_response of [[], "x", 3]) {
      expect((await fixture.owner.api.patch(path, { custom_response })).status).toBe(422);
    }
  });

  test("a member named __proto__ is dropped without side effects", async () => {
    const json = '{"custom_response":{"__proto__":{"polluted":true},"plan":"pro"}}';
    const changed = await fixture.owner.api.send("PATCH", path, json, { "content-type": "application/json" });
    expect(changed.status).toBe(200);
    expect(changed.text).toContain('"custom_response":{"plan":"pro"}');
  });

  test("a preview without a license uses sample values and stores nothing", async () => {
    await fixture.owner.api.patch(path, { custom_response: { plan: "pro", to: "{{customer.email}}" } });
    expect((await preview({})).body).toEqual({ custom: { plan: "pro", to: "ada@example.com" } });
    const other = await preview({
      template: { seats: "{{license.max_ips}}", of: "{{product.name}} by {{organization.name}}" },
      override: { seats: null, extra: "{{request.version}}" },
      sample: { "request.version": "9.9" },
    });
    expect(other.body.custom).toEqual({ of: "Plugin by Acme", extra: "9.9" });
    expect((await preview({ template: null })).body.custom).toBeNull();
    expect((await fixture.owner.api.get(path)).body.custom_response).toEqual({
      plan: "pro",
      to: "{{customer.email}}",
    });
    const wrong = await preview({ sample: { "customer.mail": "x" } });
    expect(wrong.status).toBe(422);
  });

  test("a preview of a license equals the validate response", async () => {
    const license = await addLicense(fixture, {
      customer: { email: "bob@example.com", name: "Bob", discordId: "123" },
      customOverride: JSON.stringify({ tier: "gold", plan: null }),
      maxIps: 4,
    });
    await fixture.owner.api.patch(path, {
      custom_response_enabled: true,
      custom_response: {
        plan: "pro",
        who: "{{customer.name}} <{{customer.email}}>",
        key: "{{license.key}}",
        discord: "{{customer.discord_id}}",
        max: "{{license.max_ips}}",
        until: "{{license.expires_at}}",
      },
    });
    // The first validation registers the IP address, so that both results count it.
    await fixture.publicApi.validate({ license_key: license.key });
    const validated = await fixture.publicApi.validate({ license_key: license.key });
    const shown = await preview({ license_id: license.id });
    expect(shown.body.custom).toEqual(validated.body.custom);
    expect(shown.body.custom.who).toBe("Bob <bob@example.com>");
  });

  test("a preview needs licenses:view, and a license of another product or organization is not found", async () => {
    const product = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "Other",
    });
    const elsewhere = await addLicense(fixture, { productId: product.body.id });
    const unknown = await preview({ license_id: crypto.randomUUID() });
    const foreign = await preview({ license_id: elsewhere.id });
    expect(unknown.status).toBe(404);
    expect({ ...foreign.body, request_id: "" }).toEqual({ ...unknown.body, request_id: "" });
    const license = await addLicense(fixture, { customer: { email: "secret@example.com" } });
    const viewer = await fixture.member(["products:view"]);
    const call = (body: object) => viewer.api.post(`${path}/custom-response/preview`, body);
    expect((await call({})).status).toBe(200);
    const refused = await call({ license_id: license.id });
    expect(refused.status).toBe(403);
    expect(refused.text).not.toContain("secret@example.com");
    const anonymous = await fixture.member(["licenses:view"]);
    expect((await anonymous.api.post(`${path}/custom-response/preview`, {})).status).toBe(403);
    const outsider = await fixture.person();
    expect((await outsider.api.post(`${path}/custom-response/preview`, {})).status).toBe(404);
  });
});
