import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { verifyBody } from "@countersign/domain/signing/signature";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import type { ManageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { until } from "../support/until.ts";

interface Key {
  readonly prefix: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly is_unused: boolean;
}

let fixture: ManageFixture;

/** A new product of the organization. */
async function newProduct(settings: object = {}) {
  const path = `/organizations/${fixture.organizationId}/products`;
  const { body } = await fixture.owner.api.post(path, { name: "Keyed", ...settings });
  return { id: String(body.id), apiKey: String(body.api_key), prefix: String(body.api_keys[0].prefix) };
}

/** What the audit log has about a product, oldest first. */
async function auditOf(productId: string) {
  return fixture.store.reads
    .selectFrom("audit_log")
    .selectAll()
    .where("subject_id", "=", productId)
    .orderBy("id")
    .execute();
}

describe.each(on("postgres"))("API keys of products on $kind", ({ make }) => {
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const statusWith = async (apiKey: string) =>
    (await apiOf(fixture.server.url, apiKey).validate({ license_key: "x" })).status;
  const rotate = (id: string, body?: object) => fixture.owner.api.post(`/products/${id}/rotate-key`, body);
  const add = (id: string, body: object) => fixture.owner.api.post(`/products/${id}/api-keys`, body);
  const revoke = (id: string, prefix: string) =>
    fixture.owner.api.delete(`/products/${id}/api-keys/${prefix}`);
  const usedBy = async (id: string) => {
    const { reads } = fixture.store;
    const rows = await reads.selectFrom("daily_usage").select("used").where("product_id", "=", id).execute();
    return rows.reduce((sum, row) => sum + row.used, 0);
  };
  const daysUntil = (end: string) => (Date.parse(end) - Date.now()) / 86_400_000;

  test("after a rotation, the old and the new key work, share the quota and the product's ETag changes", async () => {
    const { id, apiKey } = await newProduct();
    const before = await fixture.owner.api.get(`/products/${id}`);
    const rotated = await rotate(id);
    expect(rotated).toMatchObject({ status: 200, body: { id } });
    expect(rotated.headers.get("etag")).not.toBe(before.headers.get("etag"));
    const [old, fresh] = rotated.body.api_keys;
    expect(daysUntil(old.expires_at)).toBeCloseTo(1, 2);
    expect(fresh.expires_at).toBeNull();
    expect(rotated.body.api_key).toStartWith(fresh.prefix);
    expect(rotated.body.api_key).not.toBe(apiKey);
    for (const key of [apiKey, rotated.body.api_key]) expect(await statusWith(key)).toBe(200);
    expect(await usedBy(id)).toBe(2);
    expect((await fixture.owner.api.get(`/products/${id}`)).text).not.toContain(rotated.body.api_key);
  });

  test("old keys answer 401 after the overlap, and immediately without one", async () => {
    const { id, apiKey } = await newProduct();
    const first = await rotate(id, { overlap_seconds: 600 });
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
    expect(await statusWith(first.body.api_key)).toBe(200);
    const second = await rotate(id, { overlap_seconds: 0 });
    expect(second.body.api_keys).toHaveLength(1);
    expect(await statusWith(first.body.api_key)).toBe(401);
    expect(await statusWith(second.body.api_key)).toBe(200);
  });

  test("an old key can be revoked immediately; the last without an expiry and another product's cannot", async () => {
    const { id, apiKey, prefix } = await newProduct();
    expect((await revoke(id, prefix)).status).toBe(409);
    const { body } = await rotate(id);
    expect((await revoke(id, prefix)).status).toBe(204);
    expect(await statusWith(apiKey)).toBe(401);
    const again = await revoke(id, prefix);
    expect(again.status).toBe(404);
    expect((await revoke(id, body.api_keys[1].prefix)).status).toBe(409);
    const other = await newProduct();
    await rotate(other.id);
    const foreign = await revoke(id, other.prefix);
    expect({ ...foreign.body, request_id: "" }).toEqual({ ...again.body, request_id: "" });
    expect(await statusWith(other.apiKey)).toBe(200);
  });

  test("concurrent rotations leave exactly one key without an expiry", async () => {
    const { id } = await newProduct();
    const answers = await Promise.all(Array.from({ length: 6 }, () => rotate(id, { overlap_seconds: 60 })));
    expect(new Set(answers.map((answer) => answer.body.api_key)).size).toBe(6);
    const { body } = await fixture.owner.api.get(`/products/${id}`);
    expect(body.api_keys).toHaveLength(7);
    expect(body.api_keys.filter((key: Key) => key.expires_at === null)).toHaveLength(1);
  });

  test("a rotation repeated with the same Idempotency-Key creates one key", async () => {
    const { id } = await newProduct();
    const headers = { "idempotency-key": crypto.randomUUID() };
    const send = () => fixture.owner.api.post(`/products/${id}/rotate-key`, {}, headers);
    expect([(await send()).status, (await send()).status]).toEqual([200, 409]);
    expect((await fixture.owner.api.get(`/products/${id}`)).body.api_keys).toHaveLength(2);
  });

  test.each([
    ["rotate-key", { overlap_seconds: -1 }],
    ["rotate-key", { overlap_seconds: 31_536_001 }],
    ["rotate-key", { overlap_seconds: 1.5 }],
    ["rotate-key", { overlap_seconds: "60" }],
    ["rotate-signing-secret", { overlap_seconds: -1 }],
    ["rotate-signing-secret", { overlap_seconds: 2_592_001 }],
    ["api-keys", { expires_at: "2020-01-01T00:00:00Z" }],
    ["api-keys", { name: "x".repeat(101) }],
  ])("%s refuses %j with the field's name", async (action, body) => {
    const refused = await fixture.owner.api.post(`/products/${fixture.productId}/${action}`, body);
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, Object.keys(body)[0]]);
  });

  test("the overlap can be long, or last until the old key is revoked", async () => {
    const { id, apiKey, prefix } = await newProduct();
    const long = await rotate(id, { overlap_seconds: 90 * 86_400 });
    expect(daysUntil(long.body.api_keys[0].expires_at)).toBeCloseTo(90, 1);
    const open = await rotate(id, { overlap_seconds: null });
    expect(open.body.api_keys.map((key: Key) => key.expires_at === null)).toEqual([false, true, true]);
    expect(await statusWith(apiKey)).toBe(200);
    for (const old of [prefix, open.body.api_keys[1].prefix])
      expect((await revoke(id, old)).status).toBe(204);
    expect(await statusWith(open.body.api_key)).toBe(200);
  });

  test("several named keys work at the same time and share the quota", async () => {
    const { id, apiKey, prefix } = await newProduct();
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const shop = await add(id, { name: " Shop " });
    const trial = await add(id, { name: "Trial", expires_at: end });
    expect([shop.status, trial.status]).toEqual([201, 201]);
    expect(trial.body.api_keys).toMatchObject([
      { prefix, name: "", expires_at: null, is_unused: false },
      { name: "Shop", expires_at: null, last_used_at: null, is_unused: false },
      { name: "Trial", expires_at: end },
    ]);
    for (const key of [apiKey, shop.body.api_key, trial.body.api_key])
      expect(await statusWith(key)).toBe(200);
    expect(await usedBy(id)).toBe(3);
    expect((await fixture.owner.api.get(`/products/${id}`)).text).not.toContain(shop.body.api_key);
  });

  test("a key's name and expiry can be changed, but the last key without an expiry cannot get one", async () => {
    const { id, apiKey, prefix } = await newProduct();
    const change = (body: object) => fixture.owner.api.patch(`/products/${id}/api-keys/${prefix}`, body);
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const renamed = await change({ name: "Main" });
    expect(renamed.body.api_keys).toMatchObject([{ prefix, name: "Main", expires_at: null }]);
    expect((await change({ expires_at: end })).status).toBe(409);
    const added = await add(id, { name: "Next" });
    expect((await change({ expires_at: end })).body.api_keys[0].expires_at).toBe(end);
    expect((await change({ expires_at: null })).body.api_keys[0].expires_at).toBeNull();
    expect((await revoke(id, prefix)).status).toBe(204);
    expect((await change({ expires_at: null })).status).toBe(404);
    expect(await statusWith(apiKey)).toBe(401);
    const rotated = await rotate(id, { overlap_seconds: 60 });
    const log = await auditOf(id);
    expect(log.map(({ action }) => action)).toEqual([
      "product.created",
      "product.api_key_changed",
      "product.api_key_created",
      "product.api_key_changed",
      "product.api_key_changed",
      "product.api_key_ended",
      "product.api_key_rotated",
    ]);
    expect(log.at(-1)?.after).toContain(rotated.body.api_keys[1].prefix);
    for (const { body } of [added, rotated])
      expect(JSON.stringify(log)).not.toContain(body.api_key.slice(-20));
  });

  test("at most twenty keys are valid, even if requested concurrently", async () => {
    const { id } = await newProduct();
    for (let at = 0; at < 17; at++) await add(id, { name: `${at}` });
    const answers = await Promise.all([1, 2, 3, 4].map((at) => add(id, { name: `late ${at}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
    const refused = answers.find(({ status }) => status === 403);
    expect(refused?.body).toMatchObject({ code: "api_key_limit_reached", params: { limit: 20 } });
    expect((await rotate(id, { overlap_seconds: 60 })).status).toBe(403);
    expect((await rotate(id, { overlap_seconds: 0 })).body.api_keys).toHaveLength(1);
  });

  test("keys show their last use, and a key unused for 30 days is marked", async () => {
    const { id, apiKey } = await newProduct();
    const added = await add(id, { name: "Idle" });
    const idle = String(added.body.api_keys[1].prefix);
    const keys = async (): Promise<Key[]> => (await fixture.owner.api.get(`/products/${id}`)).body.api_keys;
    const before = Date.now();
    await statusWith(apiKey);
    await until("the use is recorded", async () => (await keys())[0]?.last_used_at !== null);
    const monthAgo = Date.now() - 30 * 86_400_000 - 60_000;
    await fixture.store.transaction((db) =>
      db.updateTable("product_api_keys").set({ created_at: monthAgo }).where("product_id", "=", id).execute(),
    );
    const shown = await keys();
    const used = shown.find(({ prefix }) => prefix !== idle);
    expect(Date.parse(used?.last_used_at ?? "") - before).toBeGreaterThan(-1_000);
    expect(used?.is_unused).toBe(false);
    expect(shown.find(({ prefix }) => prefix === idle)).toMatchObject({
      last_used_at: null,
      is_unused: true,
    });
  });

  test("managing keys needs products:rotate_key, and outsiders get 404", async () => {
    const { id, prefix } = await newProduct();
    await rotate(id);
    const manager = await fixture.member(["products:view", "products:manage"]);
    const outsider = await fixture.person();
    const keeper = await fixture.member(["products:rotate_key"]);
    const calls = (api: ManageClient) => [
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
});

describe.each(on("postgres"))("signing secrets on $kind", ({ make }) => {
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const signedProduct = async () => {
    const { id, apiKey } = await newProduct({ signed_validation: true });
    /** The ID of the secret that signs the next response, verified as an application would. */
    const signedWith = async (keys: readonly { id: string; secret: string }[]) => {
      const { text } = await apiOf(fixture.server.url, apiKey).validate({ license_key: "AAAA" });
      const signer = /k=([^,]*),/.exec(text)?.[1] ?? null;
      const verdict = verifyBody(text, {
        secretFor: (keyId) => {
          const known = keys.find((key) => key.id === keyId);
          return known === undefined ? null : Buffer.from(known.secret, "hex");
        },
        productId: id,
        licenseKeyAsSent: "AAAA",
        nonce: "",
        nowUnixSeconds: Math.floor(Date.now() / 1000),
        toleranceSeconds: 60,
      });
      return verdict.ok ? signer : verdict.reason;
    };
    return { id, signedWith };
  };
  const reveal = async (id: string) =>
    (await fixture.owner.api.post(`/products/${id}/reveal-signing-secret`)).body;
  const rotate = async (id: string, body?: object) =>
    (await fixture.owner.api.post(`/products/${id}/rotate-signing-secret`, body)).body;

  test("the revealed secret is the one that signs, and a new one is revealed before it does", async () => {
    const { id, signedWith } = await signedProduct();
    const { current, upcoming } = await reveal(id);
    expect(current.secret).toMatch(/^[0-9a-f]{64}$/);
    expect(upcoming).toBeNull();
    expect(await signedWith([current])).toBe(current.id);
    const next = await rotate(id, { overlap_seconds: 600 });
    expect(await reveal(id)).toEqual({ current, upcoming: next });
    expect(await signedWith([current, next])).toBe(current.id);
    await fixture.store.transaction((db) =>
      db
        .updateTable("product_signing_keys")
        .set((row) => ({ active_from: row("active_from", "-", 600_000) }))
        .where("id", "=", next.id)
        .execute(),
    );
    expect(await signedWith([current, next])).toBe(next.id);
    expect(await reveal(id)).toMatchObject({ current: { id: next.id, secret: next.secret }, upcoming: null });
  });

  test("without an overlap a new secret signs immediately, and an upcoming one that it replaces never does", async () => {
    const { id, signedWith } = await signedProduct();
    const waiting = await rotate(id);
    const first = await rotate(id, { overlap_seconds: 0 });
    const second = await rotate(id, { overlap_seconds: 0 });
    // Two secrets never start in the same millisecond, so the second one may start a moment later.
    await until("it signs", async () => (await signedWith([waiting, first, second])) === second.id, 5_000);
    expect(await reveal(id)).toEqual({ current: second, upcoming: null });
  });

  test("concurrent rotations leave one upcoming secret", async () => {
    const { id } = await signedProduct();
    const before = await reveal(id);
    const answers = await Promise.all(Array.from({ length: 6 }, () => rotate(id)));
    const { current, upcoming } = await reveal(id);
    expect(current).toEqual(before.current);
    expect(answers).toContainEqual(upcoming);
    const { reads } = fixture.store;
    const keys = reads.selectFrom("product_signing_keys").select("id").where("product_id", "=", id);
    expect(await keys.execute()).toHaveLength(2);
  });

  test("the audit log records every reveal and rotation without the secret", async () => {
    const { id } = await signedProduct();
    const { current } = await reveal(id);
    const next = await rotate(id);
    const log = await auditOf(id);
    expect(log.map((row) => row.action)).toEqual([
      "product.created",
      "product.signing_secret_revealed",
      "product.signing_secret_rotated",
    ]);
    expect(log[1]?.after).toContain(current.id);
    expect(log[2]?.after).toContain(next.id);
    for (const { secret } of [current, next]) expect(JSON.stringify(log)).not.toContain(secret);
    expect((await fixture.owner.api.get(`/products/${id}`)).text).not.toContain(current.secret);
  });
});
