import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { type Office, openOffice } from "../support/office.ts";
import { sell } from "../support/sell.ts";

describe.each(databases)("API keys of products on $kind", ({ make }) => {
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(make);
  });
  afterAll(() => office.close());

  const product = async () => {
    const { body } = await office.owner.api.post(`/organizations/${office.organizationId}/products`, {
      name: "Keyed",
    });
    return { id: String(body.id), apiKey: String(body.api_key), prefix: String(body.api_keys[0].prefix) };
  };
  const statusWith = async (apiKey: string) =>
    (await apiOf(office.server.url, apiKey).validate({ license_key: "x" })).status;
  const rotate = (id: string, body?: object) => office.owner.api.post(`/products/${id}/rotate-key`, body);

  test("after a rotation the old key and the new one work, and share the product's quota", async () => {
    const { id, apiKey } = await product();
    const before = Date.now();
    const rotated = await rotate(id);
    expect(rotated.status).toBe(200);
    expect(rotated.body.id).toBe(id);
    expect(rotated.body.api_key).not.toBe(apiKey);
    const [old, fresh] = rotated.body.api_keys;
    expect(Date.parse(old.expires_at) - before).toBeGreaterThanOrEqual(86_400_000 - 1_000);
    expect(Date.parse(old.expires_at) - before).toBeLessThan(86_400_000 + 60_000);
    expect(fresh.expires_at).toBeNull();
    expect(rotated.body.api_key).toStartWith(fresh.prefix);
    expect(await statusWith(apiKey)).toBe(200);
    expect(await statusWith(rotated.body.api_key)).toBe(200);
    const usage = await office.store.reads
      .selectFrom("daily_usage")
      .select("used")
      .where("product_id", "=", id)
      .execute();
    expect(usage.reduce((sum, row) => sum + row.used, 0)).toBe(2);
    expect((await office.owner.api.get(`/products/${id}`)).text).not.toContain(rotated.body.api_key);
  });

  test("without an overlap the old keys answer 401 at once", async () => {
    const { id, apiKey } = await product();
    const first = await rotate(id, { overlap_seconds: 600 });
    const second = await rotate(id, { overlap_seconds: 0 });
    expect(second.body.api_keys).toHaveLength(1);
    expect(await statusWith(apiKey)).toBe(401);
    expect(await statusWith(first.body.api_key)).toBe(401);
    expect(await statusWith(second.body.api_key)).toBe(200);
  });

  test("when the overlap has ended, the old key answers 401", async () => {
    const { id, apiKey } = await product();
    const { body } = await rotate(id, { overlap_seconds: 1 });
    expect(await statusWith(apiKey)).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await statusWith(apiKey)).toBe(401);
    expect(await statusWith(body.api_key)).toBe(200);
  });

  test("a later rotation never makes an older key last longer", async () => {
    const { id } = await product();
    const first = await rotate(id, { overlap_seconds: 60 });
    const second = await rotate(id, { overlap_seconds: 6_000 });
    expect(second.body.api_keys[0].expires_at).toBe(first.body.api_keys[0].expires_at);
    expect(second.body.api_keys).toHaveLength(3);
  });

  test("an old key can be ended at once; the newest cannot", async () => {
    const { id, apiKey, prefix } = await product();
    expect((await office.owner.api.delete(`/products/${id}/api-keys/${prefix}`)).status).toBe(409);
    expect(await statusWith(apiKey)).toBe(200);
    const { body } = await rotate(id);
    expect((await office.owner.api.delete(`/products/${id}/api-keys/${prefix}`)).status).toBe(204);
    expect(await statusWith(apiKey)).toBe(401);
    const again = await office.owner.api.delete(`/products/${id}/api-keys/${prefix}`);
    expect(again.status).toBe(404);
    const newest = String(body.api_keys[1].prefix);
    expect((await office.owner.api.delete(`/products/${id}/api-keys/${newest}`)).status).toBe(409);
    const other = await product();
    await rotate(other.id);
    const foreign = await office.owner.api.delete(`/products/${id}/api-keys/${other.prefix}`);
    expect({ ...foreign.body, request_id: "" }).toEqual({ ...again.body, request_id: "" });
    expect(await statusWith(other.apiKey)).toBe(200);
  });

  test("rotations at the same time leave exactly one key without an end", async () => {
    const { id } = await product();
    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(id, { overlap_seconds: 60 })));
    expect(new Set(answers.map((answer) => answer.body.api_key)).size).toBe(8);
    const { body } = await office.owner.api.get(`/products/${id}`);
    const lasting = body.api_keys.filter((key: { expires_at: string | null }) => key.expires_at === null);
    expect(body.api_keys).toHaveLength(9);
    expect(lasting).toHaveLength(1);
  });

  test("the same rotation sent twice with one Idempotency-Key makes one key", async () => {
    const { id } = await product();
    const headers = { "idempotency-key": crypto.randomUUID() };
    const path = `/products/${id}/rotate-key`;
    const first = await office.owner.api.post(path, {}, headers);
    const second = await office.owner.api.post(path, {}, headers);
    expect([first.status, second.status]).toEqual([200, 409]);
    expect((await office.owner.api.get(`/products/${id}`)).body.api_keys).toHaveLength(2);
  });

  test("a rotation changes what the product's ETag stands for", async () => {
    const { id } = await product();
    const before = await office.owner.api.get(`/products/${id}`);
    const rotated = await rotate(id);
    expect(rotated.headers.get("etag")).not.toBe(before.headers.get("etag"));
  });

  test.each([-1, 604_801, 1.5, "60", null])("an overlap of %p is refused by name", async (overlap) => {
    const { status, body } = await rotate(office.productId, { overlap_seconds: overlap });
    expect(status).toBe(422);
    expect(body.errors[0].field).toBe("overlap_seconds");
  });

  test("it needs products:rotate_key, and nobody outside learns that the product exists", async () => {
    const { id, prefix } = await product();
    await rotate(id);
    const manager = await office.member(["products:view", "products:manage"]);
    const outsider = await office.person();
    const keeper = await office.member(["products:rotate_key"]);
    const calls = (api: typeof manager.api) => [
      api.post(`/products/${id}/rotate-key`, {}),
      api.delete(`/products/${id}/api-keys/${prefix}`),
      api.post(`/products/${id}/reveal-signing-secret`),
      api.post(`/products/${id}/rotate-signing-secret`, {}),
    ];
    for (const call of calls(manager.api)) expect((await call).status).toBe(403);
    for (const call of calls(outsider.api)) expect((await call).status).toBe(404);
    for (const call of calls(office.nobody)) expect((await call).status).toBe(401);
    expect((await keeper.api.post(`/products/${id}/rotate-key`, {})).status).toBe(200);
  });

  test("the audit log says who rotated what, and holds no key", async () => {
    const { id } = await product();
    const { body } = await rotate(id, { overlap_seconds: 60 });
    await office.owner.api.delete(`/products/${id}/api-keys/${body.api_keys[0].prefix}`);
    const rows = await office.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("subject_id", "=", id)
      .orderBy("id")
      .execute();
    expect(rows.map((row) => row.action)).toEqual([
      "product.created",
      "product.api_key_rotated",
      "product.api_key_ended",
    ]);
    expect(rows[1]?.after).toContain(body.api_keys[1].prefix);
    expect(JSON.stringify(rows)).not.toContain(body.api_key.slice(-20));
  });

  test("the licenses of a deleted product are gone with it", async () => {
    const { id } = await product();
    const license = await sell(office, { productId: id });
    const blocks = `/licenses/${license.id}/ip-blocks`;
    expect((await office.owner.api.get(blocks)).status).toBe(200);
    expect((await office.owner.api.delete(`/products/${id}`)).status).toBe(204);
    expect((await office.owner.api.get(blocks)).status).toBe(404);
    expect((await office.owner.api.post(`/products/${id}/rotate-key`, {})).status).toBe(404);
  });

  test("an archived product can be made active again", async () => {
    const { id, apiKey } = await product();
    const status = async () =>
      (await apiOf(office.server.url, apiKey).validate({ license_key: "x" })).body.status;
    await office.owner.api.patch(`/products/${id}`, { status: "archived" });
    expect(await status()).toBe("product_archived");
    await office.owner.api.patch(`/products/${id}`, { status: "active" });
    expect(await status()).toBe("license_not_found");
  });
});
