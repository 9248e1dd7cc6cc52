import { expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

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

  test("a preview without a license uses sample values and stores nothing", async () => {
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
