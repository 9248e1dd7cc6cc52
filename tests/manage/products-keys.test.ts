import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";
import { until } from "../support/until.ts";

interface Key {
  readonly prefix: string;
  readonly expires_at: string | null;
  readonly is_unused: boolean;
}

describe.each(databases)("API keys of products on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
  });
  afterAll(() => fixture.close());

  const product = async () => {
    const { body } = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "Keyed",
    });
    return { id: String(body.id), apiKey: String(body.api_key), prefix: String(body.api_keys[0].prefix) };
  };
  const statusWith = async (apiKey: string) =>
    (await apiOf(fixture.server.url, apiKey).validate({ license_key: "x" })).status;
  const rotate = (id: string, body?: object) => fixture.owner.api.post(`/products/${id}/rotate-key`, body);

  test("after a rotation, the old and the new key work and share the product's quota", async () => {
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
    const usage = await fixture.store.reads
      .selectFrom("daily_usage")
      .select("used")
      .where("product_id", "=", id)
      .execute();
    expect(usage.reduce((sum, row) => sum + row.used, 0)).toBe(2);
    expect((await fixture.owner.api.get(`/products/${id}`)).text).not.toContain(rotated.body.api_key);
  });

  test("without an overlap, the old keys answer 401 immediately", async () => {
    const { id, apiKey } = await product();
    const first = await rotate(id, { overlap_seconds: 600 });
    const second = await rotate(id, { overlap_seconds: 0 });
    expect(second.body.api_keys).toHaveLength(1);
    expect(await statusWith(apiKey)).toBe(401);
    expect(await statusWith(first.body.api_key)).toBe(401);
    expect(await statusWith(second.body.api_key)).toBe(200);
  });

  test("after the overlap, the old key answers 401", async () => {
    const { id, apiKey } = await product();
    const { body } = await rotate(id, { overlap_seconds: 600 });
    expect(await statusWith(apiKey)).toBe(200);
    await fixture.store.transaction((db) =>
      db
        .updateTable("product_api_keys")
        .set((row) => ({ expires_at: row("expires_at", "-", 600_000) }))
        .where("product_id", "=", id)
        .where("expires_at", "is not", null)
        .execute(),
    );
    expect(await statusWith(apiKey)).toBe(401);
    expect(await statusWith(body.api_key)).toBe(200);
  });

  test("a later rotation never extends an older key", async () => {
    const { id } = await product();
    const first = await rotate(id, { overlap_seconds: 60 });
    const second = await rotate(id, { overlap_seconds: 6_000 });
    expect(second.body.api_keys[0].expires_at).toBe(first.body.api_keys[0].expires_at);
    expect(second.body.api_keys).toHaveLength(3);
  });

  test("an old key can be revoked immediately; the newest cannot", async () => {
    const { id, apiKey, prefix } = await product();
    expect((await fixture.owner.api.delete(`/products/${id}/api-keys/${prefix}`)).status).toBe(409);
    expect(await statusWith(apiKey)).toBe(200);
    const { body } = await rotate(id);
    expect((await fixture.owner.api.delete(`/products/${id}/api-keys/${prefix}`)).status).toBe(204);
    expect(await statusWith(apiKey)).toBe(401);
    const again = await fixture.owner.api.delete(`/products/${id}/api-keys/${prefix}`);
    expect(again.status).toBe(404);
    const newest = String(body.api_keys[1].prefix);
    expect((await fixture.owner.api.delete(`/products/${id}/api-keys/${newest}`)).status).toBe(409);
    const other = await product();
    await rotate(other.id);
    const foreign = await fixture.owner.api.delete(`/products/${id}/api-keys/${other.prefix}`);
    expect({ ...foreign.body, request_id: "" }).toEqual({ ...again.body, request_id: "" });
    expect(await statusWith(other.apiKey)).toBe(200);
  });

  test("concurrent rotations leave exactly one key without an expiry", async () => {
    const { id } = await product();
    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(id, { overlap_seconds: 60 })));
    expect(new Set(answers.map((answer) => answer.body.api_key)).size).toBe(8);
    const { body } = await fixture.owner.api.get(`/products/${id}`);
    const lasting = body.api_keys.filter((key: { expires_at: string | null }) => key.expires_at === null);
    expect(body.api_keys).toHaveLength(9);
    expect(lasting).toHaveLength(1);
  });

  test("a rotation repeated with the same Idempotency-Key creates one key", async () => {
    const { id } = await product();
    const headers = { "idempotency-key": crypto.randomUUID() };
    const path = `/products/${id}/rotate-key`;
    const first = await fixture.owner.api.post(path, {}, headers);
    const second = await fixture.owner.api.post(path, {}, headers);
    expect([first.status, second.status]).toEqual([200, 409]);
    expect((await fixture.owner.api.get(`/products/${id}`)).body.api_keys).toHaveLength(2);
  });

  test("a rotation changes the product's ETag", async () => {
    const { id } = await product();
    const before = await fixture.owner.api.get(`/products/${id}`);
    const rotated = await rotate(id);
    expect(rotated.headers.get("etag")).not.toBe(before.headers.get("etag"));
  });

  test.each([-1, 31_536_001, 1.5, "60"])(
    "an overlap of %p is refused with the field's name",
    async (overlap) => {
      const { status, body } = await rotate(fixture.productId, { overlap_seconds: overlap });
      expect(status).toBe(422);
      expect(body.errors[0].field).toBe("overlap_seconds");
    },
  );

  test("the overlap can be long, or last until the old key is revoked", async () => {
    const { id, apiKey, prefix } = await product();
    const long = await rotate(id, { overlap_seconds: 90 * 86_400 });
    const left = Date.parse(long.body.api_keys[0].expires_at) - Date.now();
    expect(Math.round(left / 86_400_000)).toBe(90);
    const open = await rotate(id, { overlap_seconds: null });
    expect(open.body.api_keys.map((key: Key) => key.expires_at === null)).toEqual([false, true, true]);
    expect(await statusWith(apiKey)).toBe(200);
    expect((await fixture.owner.api.delete(`/products/${id}/api-keys/${prefix}`)).status).toBe(204);
    const second = String(open.body.api_keys[1].prefix);
    expect((await fixture.owner.api.delete(`/products/${id}/api-keys/${second}`)).status).toBe(204);
    expect(await statusWith(open.body.api_key)).toBe(200);
  });

  test("several named keys work at the same time and share the quota", async () => {
    const { id, apiKey, prefix } = await product();
    const add = (body: object) => fixture.owner.api.post(`/products/${id}/api-keys`, body);
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const shop = await add({ name: " Shop " });
    const trial = await add({ name: "Trial", expires_at: end });
    expect([shop.status, trial.status]).toEqual([201, 201]);
    expect(trial.body.api_keys).toMatchObject([
      { prefix, name: "", expires_at: null, is_unused: false },
      { name: "Shop", expires_at: null, last_used_at: null, is_unused: false },
      { name: "Trial", expires_at: end },
    ]);
    for (const key of [apiKey, shop.body.api_key, trial.body.api_key])
      expect(await statusWith(key)).toBe(200);
    const usage = await fixture.store.reads
      .selectFrom("daily_usage")
      .select("used")
      .where("product_id", "=", id)
      .execute();
    expect(usage.reduce((sum, row) => sum + row.used, 0)).toBe(3);
    expect((await fixture.owner.api.get(`/products/${id}`)).text).not.toContain(shop.body.api_key);
    const past = await add({ name: "Late", expires_at: "2020-01-01T00:00:00Z" });
    expect([past.status, past.body.errors[0].field]).toEqual([422, "expires_at"]);
    const long = await add({ name: "x".repeat(101) });
    expect([long.status, long.body.errors[0].field]).toEqual([422, "name"]);
  });

  test("a key's name and expiry can be changed, but the last key without an expiry cannot get one", async () => {
    const { id, apiKey, prefix } = await product();
    const change = (which: string, body: object) =>
      fixture.owner.api.patch(`/products/${id}/api-keys/${which}`, body);
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const renamed = await change(prefix, { name: "Main" });
    expect(renamed.body.api_keys).toMatchObject([{ prefix, name: "Main", expires_at: null }]);
    expect((await change(prefix, { expires_at: end })).status).toBe(409);
    const added = await fixture.owner.api.post(`/products/${id}/api-keys`, { name: "Next" });
    expect((await change(prefix, { expires_at: end })).body.api_keys[0].expires_at).toBe(end);
    expect((await change(prefix, { expires_at: null })).body.api_keys[0].expires_at).toBeNull();
    expect((await fixture.owner.api.delete(`/products/${id}/api-keys/${prefix}`)).status).toBe(204);
    expect(await statusWith(apiKey)).toBe(401);
    expect((await change(prefix, { expires_at: null })).status).toBe(404);
    expect(await statusWith(added.body.api_key)).toBe(200);
    const { body: log } = await fixture.owner.api.get(
      `/organizations/${fixture.organizationId}/audit-log?subject_id=${id}`,
    );
    expect(log.data.map(({ action }: { action: string }) => action)).toEqual([
      "product.api_key_ended",
      "product.api_key_changed",
      "product.api_key_changed",
      "product.api_key_created",
      "product.api_key_changed",
      "product.created",
    ]);
    expect(JSON.stringify(log)).not.toContain(added.body.api_key.slice(-20));
  });

  test("at most twenty keys are valid, even if requested concurrently", async () => {
    const { id } = await product();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        fixture.owner.api.post(`/products/${id}/api-keys`, { name: `${at}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(19);
    const refused = answers.find(({ status }) => status === 403);
    expect(refused?.body).toMatchObject({ code: "api_key_limit_reached", params: { limit: 20 } });
    expect((await rotate(id, { overlap_seconds: 60 })).status).toBe(403);
    expect((await rotate(id, { overlap_seconds: 0 })).body.api_keys).toHaveLength(1);
  });

  test("keys show their last use, and a key unused for 30 days is marked", async () => {
    const { id, apiKey, prefix } = await product();
    const added = await fixture.owner.api.post(`/products/${id}/api-keys`, { name: "Idle" });
    const idle = String(added.body.api_keys[1].prefix);
    const keys = async () =>
      (await fixture.owner.api.get(`/products/${id}`)).body.api_keys as (Key & {
        last_used_at: string | null;
      })[];
    const before = Date.now();
    await statusWith(apiKey);
    await until("the use is recorded", async () => (await keys())[0]?.last_used_at !== null);
    const [used, unused] = await keys();
    expect(Date.parse(used?.last_used_at ?? "") - before).toBeGreaterThan(-1_000);
    expect(unused?.last_used_at).toBeNull();
    const monthAgo = Date.now() - 30 * 86_400_000 - 60_000;
    await fixture.store.transaction((db) =>
      db
        .updateTable("product_api_keys")
        .set({ created_at: monthAgo, last_used_at: null })
        .where("public_id", "=", idle.slice(4))
        .execute(),
    );
    await fixture.store.transaction((db) =>
      db
        .updateTable("product_api_keys")
        .set({ created_at: monthAgo })
        .where("public_id", "=", prefix.slice(4))
        .execute(),
    );
    const marked = (await keys()).filter((key) => key.is_unused).map((key) => key.prefix);
    expect(marked).toEqual([idle]);
  });

  test("managing keys needs products:rotate_key, and outsiders get 404", async () => {
    const { id, prefix } = await product();
    await rotate(id);
    const manager = await fixture.member(["products:view", "products:manage"]);
    const outsider = await fixture.person();
    const keeper = await fixture.member(["products:rotate_key"]);
    const calls = (api: typeof manager.api) => [
      api.post(`/products/${id}/rotate-key`, {}),
      api.post(`/products/${id}/api-keys`, {}),
      api.patch(`/products/${id}/api-keys/${prefix}`, { name: "x" }),
      api.delete(`/products/${id}/api-keys/${prefix}`),
      api.post(`/products/${id}/reveal-signing-secret`),
      api.post(`/products/${id}/rotate-signing-secret`, {}),
    ];
    for (const call of calls(manager.api)) expect((await call).status).toBe(403);
    for (const call of calls(outsider.api)) expect((await call).status).toBe(404);
    for (const call of calls(fixture.anonymous)) expect((await call).status).toBe(401);
    expect((await keeper.api.post(`/products/${id}/rotate-key`, {})).status).toBe(200);
  });

  test("the audit log records rotations without any key", async () => {
    const { id } = await product();
    const { body } = await rotate(id, { overlap_seconds: 60 });
    await fixture.owner.api.delete(`/products/${id}/api-keys/${body.api_keys[0].prefix}`);
    const rows = await fixture.store.reads
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

  test("licenses of a deleted product are not found", async () => {
    const { id } = await product();
    const license = await addLicense(fixture, { productId: id });
    const blocks = `/licenses/${license.id}/ip-blocks`;
    expect((await fixture.owner.api.get(blocks)).status).toBe(200);
    expect((await fixture.owner.api.delete(`/products/${id}`)).status).toBe(204);
    expect((await fixture.owner.api.get(blocks)).status).toBe(404);
    expect((await fixture.owner.api.post(`/products/${id}/rotate-key`, {})).status).toBe(404);
  });

  test("an archived product can be reactivated", async () => {
    const { id, apiKey } = await product();
    const status = async () =>
      (await apiOf(fixture.server.url, apiKey).validate({ license_key: "x" })).body.status;
    await fixture.owner.api.patch(`/products/${id}`, { status: "archived" });
    expect(await status()).toBe("product_archived");
    await fixture.owner.api.patch(`/products/${id}`, { status: "active" });
    expect(await status()).toBe("license_not_found");
  });
});
