import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { countedRequests } from "../../../tests/support/scene.ts";
import type { Seller } from "../../../tests/support/seller.ts";
import { addApiKey } from "../queries/products.ts";
import { as, countTags, judgeOne, lookup, validate, verdict } from "./calls.ts";
import type { Stage } from "./stage.ts";

export function authentication(stage: Stage) {
  describe("authentication", () => {
    test("a key that nobody was given is unauthorized", async () => {
      const { store } = await stage.seller();
      const stranger = generateApiKey(randomBytes).key;
      expect(await store.judge([validate(stranger, "X"), lookup(stranger, "X")])).toEqual([
        { tag: "unauthorized" },
        { tag: "unauthorized" },
      ]);
    });

    test("the public id of a real key with another secret is unauthorized, and counted for nobody", async () => {
      const seller = await stage.seller();
      const call = validate(seller.apiKey, "X");
      const forged = { ...call, apiKey: { ...call.apiKey, hash: "0".repeat(64) } };
      expect(await seller.store.judge([forged, call, forged])).toMatchObject([
        { tag: "unauthorized" },
        { tag: "validated" },
        { tag: "unauthorized" },
      ]);
      expect(await countedRequests(seller)).toBe(1);
    });

    test("a wrong key is unauthorized before a used-up quota or a deleted product is told", async () => {
      const seller = await stage.seller({ dailyLimit: 0 });
      await seller.store.transaction((db) =>
        db.updateTable("products").set({ deleted_at: 1 }).where("id", "=", seller.productId).execute(),
      );
      const call = validate(seller.apiKey, "X");
      const forged = { ...call, apiKey: { ...call.apiKey, hash: "0".repeat(64) } };
      expect(await judgeOne(seller.store, forged)).toEqual({ tag: "unauthorized" });
    });

    test("an old key works until the overlap of its rotation ends, and not at that moment", async () => {
      let nowMs = Date.UTC(2030, 5, 15);
      const seller = await stage.seller({ now: () => nowMs });
      await rotate(seller, nowMs + 1_000);
      nowMs += 999;
      expect((await judgeOne(seller.store, validate(seller.apiKey, "X"))).tag).toBe("validated");
      nowMs += 1;
      expect((await judgeOne(seller.store, validate(seller.apiKey, "X"))).tag).toBe("unauthorized");
    });

    test("the old and the new key of a product share its counter, in one batch and across batches", async () => {
      const seller = await stage.seller({ dailyLimit: 5 });
      const newKey = await rotate(seller, Date.now() + 3_600_000);
      const both = [seller.apiKey, newKey, seller.apiKey].map((key) => validate(key, "X"));
      expect(countTags(await seller.store.judge(both), "validated")).toBe(3);
      expect((await seller.store.judge(both)).map((judged) => judged.tag)).toEqual([
        "validated",
        "validated",
        "limited",
      ]);
      expect(await countedRequests(seller)).toBe(5);
    });

    test("each key opens its own product only", async () => {
      const seller = await stage.seller();
      const other = await seller.product();
      const { key } = await seller.license();
      expect((await verdict(seller.store, validate(seller.apiKey, key))).status).toBe("active");
      expect((await verdict(seller.store, validate(other.apiKey, key))).status).toBe("license_not_found");
      expect(as("looked_up", await judgeOne(seller.store, lookup(other.apiKey, key))).record).toBeNull();
    });
  });
}

/** Gives the product a second key and lets the first one end at this time. */
async function rotate(seller: Seller, oldEndsAtMs: number): Promise<string> {
  const next = generateApiKey(randomBytes);
  await seller.store.transaction(async (db) => {
    await db
      .updateTable("product_api_keys")
      .set({ expires_at: oldEndsAtMs })
      .where("product_id", "=", seller.productId)
      .execute();
    await addApiKey(db, seller.productId, next, Date.now());
  });
  return next.key;
}
