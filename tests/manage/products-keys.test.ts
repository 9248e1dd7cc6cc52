import { expect, setDefaultTimeout, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { unusedKeysCheck } from "../../apps/server/features/products/unused-keys.ts";
import { apiOf } from "../support/api.ts";
import { auditOf } from "../support/audit-of.ts";
import { openedEmails } from "../support/emails.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import type { Row } from "../support/stored-rows.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";
import { verifyBody } from "../support/verify-body.ts";

setDefaultTimeout(60_000);

/** That all keys of a product share its quota: tests/http/quota.test.ts. */
testsOn("postgres", "API keys of products", openManageFixture, (fixture) => {
  const newProduct = async () => {
    const { id, api_key: apiKey, api_keys: keys } = await licensesOf(fixture).newProduct();
    return { id: String(id), apiKey: String(apiKey), prefix: String(keys[0].prefix) };
  };
  const statusWith = async (apiKey: string) =>
    (await apiOf(fixture.server.url, apiKey).validate({ license_key: "x" })).status;
  const read = (id: string) => fixture.owner.api.get(`/products/${id}`);
  const rotate = (id: string, body?: object) => fixture.owner.api.post(`/products/${id}/rotate-key`, body);
  const add = (id: string, body: object) => fixture.owner.api.post(`/products/${id}/api-keys`, body);
  const revoke = async (id: string, prefix: string) =>
    (await fixture.owner.api.delete(`/products/${id}/api-keys/${prefix}`)).status;
  const setKey = (public_id: string, columns: Partial<Row<"product_api_keys">>) =>
    fixture.change("product_api_keys", { public_id }, columns);
  const daysUntil = (end: string) => (Date.parse(end) - Date.now()) / dayMs;

  test("a rotated key works for the overlap, a day by default, beside the new one, which is shown once", async () => {
    const { id, apiKey, prefix } = await newProduct();
    const before = await read(id);
    const rotated = await rotate(id);
    expect(rotated).toMatchObject({ status: 200, body: { id } });
    expect(rotated.headers.get("etag")).not.toBe(before.headers.get("etag"));
    const { api_key: fresh, api_keys: keys } = rotated.body;
    expect(daysUntil(keys[0].expires_at)).toBeCloseTo(1, 2);
    expect(keys[1].expires_at).toBeNull();
    expect(fresh).toStartWith(keys[1].prefix);
    for (const key of [apiKey, fresh]) expect(await statusWith(key)).toBe(200);
    expect((await read(id)).text).not.toContain(fresh);

    await setKey(prefix.slice(4), { expires_at: Date.now() - 1_000 });
    expect([await statusWith(apiKey), await statusWith(fresh)]).toEqual([401, 200]);
    const long = await rotate(id, { overlap_seconds: 90 * 86_400 });
    expect(daysUntil(long.body.api_keys[0].expires_at)).toBeCloseTo(90, 1);
    const last = await rotate(id, { overlap_seconds: 0 });
    expect(last.body.api_keys).toHaveLength(1);
    const statuses = [fresh, long.body.api_key, last.body.api_key].map(statusWith);
    expect(await Promise.all(statuses)).toEqual([401, 401, 200]);
  });

  test("an old key can be revoked immediately; the last without an expiry and another product's cannot", async () => {
    const [{ id, apiKey, prefix }, other] = [await newProduct(), await newProduct()];
    expect(await revoke(id, prefix)).toBe(409);
    const { body } = await rotate(id, { overlap_seconds: null });
    expect(body.api_keys.map(({ expires_at }: { expires_at: unknown }) => expires_at)).toEqual([null, null]);
    expect(await statusWith(apiKey)).toBe(200);
    expect([await revoke(id, prefix), await revoke(id, prefix)]).toEqual([204, 404]);
    expect([await statusWith(apiKey), await statusWith(body.api_key)]).toEqual([401, 200]);
    expect(await revoke(id, body.api_keys[1].prefix)).toBe(409);
    await rotate(other.id);
    expect(await revoke(id, other.prefix)).toBe(404);
    expect(await statusWith(other.apiKey)).toBe(200);
  });

  test("an invalid overlap, expiry or name is refused with the field's name", async () => {
    const wrong: [action: string, body: object][] = [
      ["rotate-key", { overlap_seconds: 31_536_001 }],
      ["rotate-signing-secret", { overlap_seconds: -1 }],
      ["rotate-signing-secret", { overlap_seconds: 2_592_001 }],
      ["api-keys", { expires_at: "2020-01-01T00:00:00Z" }],
      ["api-keys", { name: "x".repeat(101) }],
    ];
    for (const [action, sent] of wrong) {
      const answer = await fixture.owner.api.post(`/products/${fixture.productId}/${action}`, sent);
      expect([sent, ...refusal(answer)]).toEqual([sent, 422, Object.keys(sent)[0]]);
    }
  });

  test("several named keys work at the same time, and are changed and ended one by one", async () => {
    const { id, apiKey, prefix } = await newProduct();
    const change = (body: object) => fixture.owner.api.patch(`/products/${id}/api-keys/${prefix}`, body);
    const end = new Date(Date.now() + 3_600_000).toISOString();
    expect((await change({ name: "Main" })).body.api_keys).toMatchObject([{ prefix, name: "Main" }]);
    // The last key without an expiry cannot get one.
    expect((await change({ expires_at: end })).status).toBe(409);
    const shop = await add(id, { name: " Shop " });
    const trial = await add(id, { name: "Trial", expires_at: end });
    expect([shop.status, trial.status]).toEqual([201, 201]);
    expect(trial.body.api_keys).toMatchObject([
      { prefix, name: "Main", expires_at: null, is_unused: false },
      { name: "Shop", expires_at: null, last_used_at: null, is_unused: false },
      { name: "Trial", expires_at: end },
    ]);
    for (const key of [apiKey, shop.body.api_key, trial.body.api_key])
      expect(await statusWith(key)).toBe(200);
    expect((await change({ expires_at: end })).body.api_keys[0].expires_at).toBe(end);
    expect((await change({ expires_at: null })).body.api_keys[0].expires_at).toBeNull();
    expect(await revoke(id, prefix)).toBe(204);
    expect((await change({ expires_at: null })).status).toBe(404);
    expect(await statusWith(apiKey)).toBe(401);
    const rotated = await rotate(id, { overlap_seconds: 60 });
    const log = await auditOf(fixture, id);
    const [changed, created] = ["product.api_key_changed", "product.api_key_created"];
    expect(log.map(({ action }) => action)).toEqual([
      ...["product.created", changed, created, created, changed, changed],
      ...["product.api_key_ended", "product.api_key_rotated"],
    ]);
    expect(log.at(-1)?.after).toContain(rotated.body.api_keys.at(-1).prefix);
    const everything = JSON.stringify(log) + (await read(id)).text;
    for (const { body } of [shop, trial, rotated]) expect(everything).not.toContain(body.api_key.slice(-20));
  });

  test("at most twenty keys are valid, and concurrent rotations leave one without an expiry", async () => {
    const { id } = await newProduct();
    for (let at = 0; at < 17; at++) await add(id, { name: `${at}` });
    const answers = await Promise.all([1, 2, 3, 4].map((at) => add(id, { name: `late ${at}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
    const refused = answers.find(({ status }) => status === 403);
    expect(refused?.body).toMatchObject({ code: "api_key_limit_reached", params: { limit: 20 } });
    expect((await rotate(id, { overlap_seconds: 60 })).status).toBe(403);
    expect((await rotate(id, { overlap_seconds: 0 })).body.api_keys).toHaveLength(1);
    const racing = await Promise.all([1, 2, 3, 4, 5].map(() => rotate(id, { overlap_seconds: 60 })));
    expect(new Set(racing.map(({ body }) => body.api_key)).size).toBe(5);
    const keys = (await read(id)).body.api_keys;
    const open = keys.filter(({ expires_at }: { expires_at: unknown }) => expires_at === null);
    expect([keys.length, open.length]).toEqual([6, 1]);
  });

  test("keys show their last use, and a key unused for 30 days is marked", async () => {
    const { id, apiKey } = await newProduct();
    await add(id, { name: "Idle" });
    const keys = async () => {
      const found = (await read(id)).body.api_keys;
      return ["", "Idle"].map((name) => found.find((key: { name: string }) => key.name === name));
    };
    const before = Date.now();
    await statusWith(apiKey);
    await until("the use is recorded", async () => (await keys())[0].last_used_at !== null);
    const longAgo = { created_at: Date.now() - 30 * dayMs - 60_000 };
    await fixture.change("product_api_keys", { product_id: id }, longAgo);
    const [used, idle] = await keys();
    expect(Date.parse(used.last_used_at) - before).toBeGreaterThan(-1_000);
    expect(used.is_unused).toBe(false);
    expect(idle).toMatchObject({ last_used_at: null, is_unused: true });
  });

  /** Which keys count as unused, and that each is reported once: packages/store/queries/products/keys.test.ts. */
  test("an email about unused keys goes once to the owner and to members who can revoke a key, each in their language", async () => {
    const { productId, owner, store } = fixture;
    const newKey = async (name: string) => String((await add(productId, { name })).body.api_key).slice(4, 12);
    const daysAgo = (days: number) => Date.now() - days * dayMs;
    const run = () => unusedKeysCheck(store, "https://countersign.example", () => store.clock()).run();
    const emailsTo = async ({ email: to }: { email: string }) => {
      const emails = await openedEmails(store, { to, kind: "api_keys_unused" });
      return emails.filter(({ subject }) => subject.includes("Plugin"));
    };
    const [old, used] = [await newKey("Old launcher"), await newKey("In use")];
    await setKey(old, { created_at: daysAgo(90), last_used_at: daysAgo(30) - 60_000 });
    await setKey(used, { created_at: daysAgo(90), last_used_at: daysAgo(29) });
    const keeper = await fixture.member(["products:rotate_key"]);
    const seller = await fixture.member(["licenses:create"]);
    await fixture.change("users", { id: keeper.userId }, { locale: "de" });
    // Several servers can check at the same moment, and later.
    await Promise.all([run(), run()]);
    await run();
    const [message, ...more] = await emailsTo(owner);
    expect([message?.subject, more]).toEqual(["Unused API keys for Plugin", []]);
    expect(message?.body_text).toContain(`Old launcher (csk_${old}…)`);
    expect(message?.body_text).toContain(`/products/${productId}/keys`);
    expect(message?.body_text).not.toContain(used);
    expect(await emailsTo(keeper)).toMatchObject([{ subject: "Ungenutzte API-Schlüssel von Plugin" }]);
    expect(await emailsTo(seller)).toEqual([]);
  });
});

testsOn("postgres", "signing secrets", openManageFixture, (fixture) => {
  const signedProduct = async () => {
    const { id, api_key: apiKey } = await licensesOf(fixture).newProduct({ signed_validation: true });
    /** The ID of the secret that signs the next response, verified as an application would. */
    const signedWith = async (keys: readonly { id: string; secret: string }[]) => {
      const { text } = await apiOf(fixture.server.url, apiKey).validate({ license_key: "AAAA" });
      const verdict = verifyBody(text, {
        secretFor: (keyId) => Buffer.from(keys.find(({ id }) => id === keyId)?.secret ?? "", "hex"),
        productId: id,
        licenseKeyAsSent: "AAAA",
        nonce: "",
        toleranceSeconds: 60,
        nowUnixSeconds: Math.floor(Date.now() / 1000),
      });
      return verdict.ok ? /k=([^,]*),/.exec(text)?.[1] : verdict.reason;
    };
    return { id: String(id), signedWith };
  };
  const reveal = async (id: string) =>
    (await fixture.owner.api.post(`/products/${id}/reveal-signing-secret`)).body;
  const rotate = async (id: string, body?: object) =>
    (await fixture.owner.api.post(`/products/${id}/rotate-signing-secret`, body)).body;

  test("the revealed secret is the one that signs, a new one is revealed before it does, and each is audited", async () => {
    const { id, signedWith } = await signedProduct();
    const { current, upcoming } = await reveal(id);
    expect(current.secret).toMatch(/^[0-9a-f]{64}$/);
    expect(upcoming).toBeNull();
    expect(await signedWith([current])).toBe(current.id);
    const next = await rotate(id, { overlap_seconds: 600 });
    expect(await reveal(id)).toEqual({ current, upcoming: next });
    expect(await signedWith([current, next])).toBe(current.id);
    await fixture.change("product_signing_keys", { id: next.id }, { active_from: Date.now() - 1_000 });
    expect(await signedWith([current, next])).toBe(next.id);
    expect(await reveal(id)).toMatchObject({ current: { id: next.id, secret: next.secret }, upcoming: null });
    const log = await auditOf(fixture, id);
    expect(log).toMatchObject([
      { action: "product.created" },
      { action: "product.signing_secret_revealed", after: expect.stringContaining(current.id) },
      { action: "product.signing_secret_rotated", after: expect.stringContaining(next.id) },
      { action: "product.signing_secret_revealed" },
      { action: "product.signing_secret_revealed" },
    ]);
    const everything = JSON.stringify(log) + (await fixture.owner.api.get(`/products/${id}`)).text;
    for (const { secret } of [current, next]) expect(everything).not.toContain(secret);
  });

  test("who can see a product sees who revealed its signing secret last, and when", async () => {
    const { id } = await signedProduct();
    const last = async (from: Pick<typeof fixture.owner, "api">) =>
      from.api.get(`/products/${id}/signing-secret`);
    expect((await last(fixture.owner)).body).toEqual({ last_revealed_at: null, last_revealed_by: null });
    const member = await fixture.member(["products:rotate_key"]);
    expect((await member.api.post(`/products/${id}/reveal-signing-secret`)).status).toBe(200);
    const viewer = await fixture.member(["products:view"]);
    const { body } = await last(viewer);
    const entry = (await auditOf(fixture, id)).at(-1);
    expect(body).toEqual({
      last_revealed_at: new Date(Number(entry?.at)).toISOString(),
      last_revealed_by: entry?.actor_name,
    });
    await reveal(id);
    expect((await last(viewer)).body.last_revealed_at >= body.last_revealed_at).toBe(true);
    expect((await last(await fixture.member(["licenses:view"]))).status).toBe(403);
  });

  test("a new signing secret without an overlap signs immediately, and an upcoming one that it replaces never", async () => {
    const { id, signedWith } = await signedProduct();
    const waiting = await rotate(id);
    const first = await rotate(id, { overlap_seconds: 0 });
    const second = await rotate(id, { overlap_seconds: 0 });
    // Two secrets never start in the same millisecond, so the second one may start a moment later.
    await until("it signs", async () => (await signedWith([waiting, first, second])) === second.id, 5_000);
    expect(await reveal(id)).toEqual({ current: second, upcoming: null });
    const atOnce = await Promise.all(Array.from({ length: 6 }, () => rotate(id)));
    const { current, upcoming } = await reveal(id);
    expect(current).toEqual(second);
    expect(atOnce).toContainEqual(upcoming);
    const upcomingRows = (await fixture.stored("product_signing_keys", { product_id: id })).filter(
      (key) => key.active_from > Date.now(),
    );
    expect(upcomingRows).toHaveLength(1);
  });
});
