import { expect, test } from "bun:test";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import * as queries from "./keys.ts";
import * as unusedKeys from "./keys.ts";
import { addApiKey, workingApiKeys } from "./products.ts";

onBothDatabases("the API keys of products", (fixture) => {
  const { read, write } = fixture.queries(queries);
  /** A product with keys that expire at these times, by the public IDs of its keys. */
  const keyed = async (...expiries: (number | null)[]) => {
    const org = await fixture.organization();
    const keys = expiries.map((expiresAtMs) => ({ publicId: newId(), expiresAtMs }));
    await fixture.write(async (db) => {
      await db.deleteFrom("product_api_keys").where("product_id", "=", org.productId).execute();
      for (const [at, { publicId, expiresAtMs }] of keys.entries())
        await addApiKey(db, org.productId, { publicId, hash: newId() }, at, { expiresAtMs });
    });
    return { ...org, ids: keys.map(({ publicId }) => publicId) };
  };
  const expiriesOf = async (productId: string) =>
    (await workingApiKeys(fixture.reads, [productId], -1)).map((key) => key.expires_at);

  test("an API key is found only through its own product", async () => {
    const { ids, productId, product } = await keyed(null);
    const other = await product();
    expect(await read.apiKeyOf(productId, ids[0] ?? "")).toMatchObject({ public_id: ids[0] });
    expect(await read.apiKeyOf(other.productId, ids[0] ?? "")).toBeUndefined();
  });

  test("an API key works before its expiry and not from then on", async () => {
    const { ids, productId } = await keyed(99, 100, 101, null);
    for (const keys of [
      await read.liveApiKeys(productId, 100),
      await workingApiKeys(fixture.reads, [productId], 100),
    ])
      expect(keys.map((key) => key.public_id).sort()).toEqual(ids.slice(2).sort());
    expect(await workingApiKeys(fixture.reads, [], 100)).toEqual([]);
  });

  test("ending all API keys of a product shortens those that would work longer, and extends none", async () => {
    const { productId, product } = await keyed(60, 6_000, null);
    const other = await product();
    await write.endApiKeys(productId, 100);
    expect(await expiriesOf(productId)).toEqual([60, 100, 100]);
    expect(await expiriesOf(other.productId)).toEqual([null]);
  });

  test("a change of one API key does not affect the others, and the time of its last use never decreases", async () => {
    const { ids, productId } = await keyed(null, null, null);
    const [first = "", second = ""] = ids;
    await write.updateApiKey(first, { name: "Shop" });
    await write.endApiKey(second, 50);
    await write.markApiKeysUsed([first, second], 30);
    await write.markApiKeysUsed([first], 20);
    await write.markApiKeysUsed([second], 40);
    await write.markApiKeysUsed([], 90);
    expect(await workingApiKeys(fixture.reads, [productId], 0)).toMatchObject([
      { name: "Shop", expires_at: null, last_used_at: 30 },
      { name: "", expires_at: 50, last_used_at: 40 },
      { name: "", expires_at: null, last_used_at: null },
    ]);
  });

  test("the signing keys are the one in use and upcoming ones, of which an unused one can be removed", async () => {
    const { productId, signingKey } = await fixture.organization();
    const [now, soon] = [newId(), newId()];
    await write.addSigningKey(productId, { id: soon, sealedSecret: "s", activeFromMs: 200 }, 1);
    await write.addSigningKey(productId, { id: now, sealedSecret: "s", activeFromMs: 100 }, 1);
    const idsFrom = async (atMs: number) =>
      (await read.signingKeysFrom(productId, atMs)).map((key) => key.id);
    expect(await idsFrom(99)).toEqual([signingKey.id, now, soon]);
    expect(await idsFrom(100)).toEqual([now, soon]);
    expect(await idsFrom(200)).toEqual([soon]);
    await write.removeUpcomingSigningKeys(productId, 100);
    expect(await idsFrom(200)).toEqual([now]);
  });
});

onBothDatabases("unused API keys", (fixture) => {
  const { read, write } = fixture.queries(unusedKeys);
  const times = { nowMs: 1_000, unusedSinceMs: 100 };
  const isListed = async (productId: string) =>
    (await read.productsWithUnusedKeys({ ...times, limit: 100_000 })).includes(productId);
  const setKeys = (productId: string, columns: Record<string, number | null>) =>
    fixture.write((db) =>
      db.updateTable("product_api_keys").set(columns).where("product_id", "=", productId).execute(),
    );

  test.each([
    ["created at the limit and never used", true, { created_at: 100 }],
    ["created after it", false, { created_at: 101 }],
    ["last used at the limit", true, { created_at: 1, last_used_at: 100 }],
    ["used after it", false, { created_at: 1, last_used_at: 101 }],
    ["expired", false, { created_at: 1, expires_at: 1_000 }],
    ["still to expire", true, { created_at: 1, expires_at: 1_001 }],
    ["reported before", false, { created_at: 1, unused_notified_at: 5 }],
  ])("an API key that was %s is reported: %p", async (_, expected, columns) => {
    const { productId } = await fixture.organization();
    await setKeys(productId, columns);
    expect(await isListed(productId)).toBe(expected);
    const taken = await write.takeUnusedKeys(productId, times);
    expect(taken).toHaveLength(expected ? 1 : 0);
  });

  test.each([
    ["an organization that is suspended", { suspended_at: 1 }, {}],
    ["an organization that is suspended because of a payment", { billing_state: "suspended" as const }, {}],
    ["a deleted organization", { deleted_at: 1 }, {}],
    ["an organization that is about to be deleted", { delete_after: 1 }, {}],
    ["a deleted product", {}, { deleted_at: 1 }],
  ])("no unused key of %s is reported", async (_, ofOrganization, ofProduct) => {
    const { productId, organizationId } = await fixture.organization();
    await setKeys(productId, { created_at: 1 });
    expect(await isListed(productId)).toBe(true);
    await fixture.change("organizations", organizationId, { name: "Changed", ...ofOrganization });
    await fixture.change("products", productId, { name: "Changed", ...ofProduct });
    expect(await isListed(productId)).toBe(false);
  });

  test("unused keys are counted by product, the most first, without those in use, ended ones and other organizations", async () => {
    const { productId, product, organizationId } = await fixture.organization();
    const other = await fixture.organization();
    const second = await product();
    const disabled = await product();
    await fixture.write(async (db) => {
      await db
        .updateTable("products")
        .set({ status: "disabled" })
        .where("id", "=", disabled.productId)
        .execute();
      const add = async (of: string, rows: readonly { created: number; used?: number; ends?: number }[]) => {
        await db.deleteFrom("product_api_keys").where("product_id", "=", of).execute();
        for (const { created, used = null, ends = null } of rows) {
          const publicId = newId();
          await addApiKey(db, of, { publicId, hash: newId() }, created, { expiresAtMs: ends });
          const key = db.updateTable("product_api_keys").set({ last_used_at: used });
          await key.where("public_id", "=", publicId).execute();
        }
      };
      await add(productId, [
        { created: 100 },
        { created: 101 },
        { created: 1, used: 101 },
        { created: 1, ends: 1_000 },
      ]);
      await add(second.productId, [{ created: 1 }, { created: 1, used: 100, ends: 1_001 }]);
      await add(disabled.productId, [{ created: 1 }]);
      await add(other.productId, [{ created: 1 }]);
    });
    const counts = (limit: number) => read.unusedKeyCounts(organizationId, { ...times, limit });
    expect((await counts(9)).map(({ id, count }) => [id, count])).toEqual([
      [second.productId, 2],
      [productId, 1],
    ]);
    expect(await counts(1)).toMatchObject([{ id: second.productId }]);
  });

  test("each unused key is taken once, also by two transactions at the same moment", async () => {
    const { productId } = await fixture.organization();
    await setKeys(productId, { created_at: 1 });
    const both = [1, 2].map(() => write.takeUnusedKeys(productId, times));
    expect((await Promise.all(both)).flat()).toHaveLength(1);
    expect(await isListed(productId)).toBe(false);
  });
});
