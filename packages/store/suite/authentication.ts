import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { countedRequests } from "../../../tests/support/public-api-fixture.ts";
import type { TestOrganization } from "../../../tests/support/test-organization.ts";
import { addApiKey } from "../queries/products/products.ts";
import { as, countTags, lookup, validate, validateOne, verdict } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

export function authentication(fixture: StoreFixture) {
  describe("authentication", () => {
    test("an unknown key is unauthorized", async () => {
      const { store } = await fixture.org();
      const unknownKey = generateApiKey(randomBytes).key;
      expect(await store.validateBatch([validate(unknownKey, "X"), lookup(unknownKey, "X")])).toEqual([
        { tag: "unauthorized" },
        { tag: "unauthorized" },
      ]);
    });

    test("the public ID of a real key with another secret is unauthorized and not counted", async () => {
      const org = await fixture.org();
      const call = validate(org.apiKey, "X");
      const forged = { ...call, apiKey: { ...call.apiKey, hash: "0".repeat(64) } };
      expect(await org.store.validateBatch([forged, call, forged])).toMatchObject([
        { tag: "unauthorized" },
        { tag: "validated" },
        { tag: "unauthorized" },
      ]);
      expect(await countedRequests(org)).toBe(1);
    });

    test("a wrong key is unauthorized even with an exhausted quota or a deleted product", async () => {
      const org = await fixture.org({ dailyLimit: 0 });
      await org.store.transaction((db) =>
        db.updateTable("products").set({ deleted_at: 1 }).where("id", "=", org.productId).execute(),
      );
      const call = validate(org.apiKey, "X");
      const forged = { ...call, apiKey: { ...call.apiKey, hash: "0".repeat(64) } };
      expect(await validateOne(org.store, forged)).toEqual({ tag: "unauthorized" });
    });

    test("an old key works until its overlap ends, exclusive of that moment", async () => {
      let nowMs = Date.UTC(2030, 5, 15);
      const org = await fixture.org({ now: () => nowMs });
      await rotate(org, nowMs + 1_000);
      nowMs += 999;
      expect((await validateOne(org.store, validate(org.apiKey, "X"))).tag).toBe("validated");
      nowMs += 1;
      expect((await validateOne(org.store, validate(org.apiKey, "X"))).tag).toBe("unauthorized");
    });

    test("the old and the new key of a product share its counter, in one batch and across batches", async () => {
      const org = await fixture.org({ dailyLimit: 5 });
      const newKey = await rotate(org, Date.now() + 3_600_000);
      const both = [org.apiKey, newKey, org.apiKey].map((key) => validate(key, "X"));
      expect(countTags(await org.store.validateBatch(both), "validated")).toBe(3);
      expect((await org.store.validateBatch(both)).map((results) => results.tag)).toEqual([
        "validated",
        "validated",
        "limited",
      ]);
      expect(await countedRequests(org)).toBe(5);
    });

    test("each key is valid only for its own product", async () => {
      const org = await fixture.org();
      const other = await org.product();
      const { key } = await org.license();
      expect((await verdict(org.store, validate(org.apiKey, key))).status).toBe("active");
      expect((await verdict(org.store, validate(other.apiKey, key))).status).toBe("license_not_found");
      expect(as("looked_up", await validateOne(org.store, lookup(other.apiKey, key))).record).toBeNull();
    });
  });
}

/** Adds a second key to the product, and sets the expiry of the first. */
async function rotate(org: TestOrganization, oldEndsAtMs: number): Promise<string> {
  const next = generateApiKey(randomBytes);
  await org.store.transaction(async (db) => {
    await db
      .updateTable("product_api_keys")
      .set({ expires_at: oldEndsAtMs })
      .where("product_id", "=", org.productId)
      .execute();
    await addApiKey(db, org.productId, next, Date.now());
  });
  return next.key;
}
