import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

describe.each(on("sqlite"))("custom responses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    path = `/products/${fixture.productId}`;
  });
  afterAll(() => fixture.close());

  const preview = (body: object) => fixture.owner.api.post(`${path}/custom-response/preview`, body);

  const patch = (json: string) =>
    fixture.owner.api.send("PATCH", path, `{"custom_response":${json}}`, {
      "content-type": "application/json",
    });
  const fieldOf = ({ status, body }: { status: number; body: { errors: { field: string }[] } }) => {
    expect(status).toBe(422);
    return body.errors[0]?.field;
  };

  test("an unknown placeholder is refused with its path, wherever a template is sent", async () => {
    const custom_response = { user: { names: ["ok", "{{customer.nmae}}"] }, mail: "{{customer.email}}" };
    const { status, body } = await fixture.owner.api.patch(path, { custom_response });
    expect([status, body.errors.length]).toEqual([422, 1]);
    expect(body.errors[0]).toMatchObject({
      field: "custom_response.user.names.1",
      code: "unknown_placeholder",
      params: { placeholder: "{{customer.nmae}}" },
    });
    const products = `/organizations/${fixture.organizationId}/products`;
    expect((await fixture.owner.api.post(products, { name: "X", custom_response })).status).toBe(422);
    expect(fieldOf(await preview({ template: custom_response }))).toBe("template.user.names.1");
    expect(fieldOf(await preview({ override: { a: "{{x}}" } }))).toBe("override.a");
  });

  test("size and depth are limited, and a template is an object", async () => {
    const large = await patch(JSON.stringify({ a: "x".repeat(20_000) }));
    expect(large.status).toBe(422);
    expect(large.body.errors[0]).toEqual({
      field: "custom_response",
      code: "json_too_large",
      params: { max_kib: 16 },
      message: "custom_response must be at most 16 KiB of JSON.",
    });
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(fieldOf(await patch(nested(33)))).toBe(`custom_response${".a".repeat(32)}`);
    expect(fieldOf(await patch(nested(5_000)))).toBe("body");
    expect((await patch(nested(32))).status).toBe(200);
    for (const json of ["[]", '"x"', "3"]) expect(fieldOf(await patch(json))).toBe("custom_response");
  });

  test("a member named __proto__ is dropped without side effects", async () => {
    const changed = await patch('{"__proto__":{"polluted":true},"plan":"pro"}');
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
    expect((await preview({ sample: { "customer.mail": "x" } })).status).toBe(422);
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

  test("a preview of a license needs licenses:view, and one of another product or organization is not found", async () => {
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
  });
});
