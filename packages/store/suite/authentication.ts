import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { countedRequests } from "../../../tests/support/public-api-fixture.ts";
import type { TestOrganization } from "../../../tests/support/test-organization.ts";
import { addApiKey } from "../queries/products/products.ts";
import { ask, countTags, lookup, recordOf, statusOf, validate, validateOne } from "./calls.ts";
import { changeProduct, expireApiKeys } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function authentication(fixture: StoreFixture) {
  describe("authentication", () => {
    test("an unknown key is unauthorized", async () => {
      const org = await fixture.org();
      const calls = [validate, lookup].map((make) => make(generateApiKey(randomBytes).key, "X"));
      expect((await org.store.validateBatch(calls)).map(({ tag }) => tag)).toEqual(
        Array(2).fill("unauthorized"),
      );
    });

    test("the public ID of a real key with another secret is unauthorized and not counted", async () => {
      const org = await fixture.org();
      const calls = [forged(org), validate(org.apiKey, "X"), forged(org)];
      const results = await org.store.validateBatch(calls);
      expect(results.map(({ tag }) => tag)).toEqual(["unauthorized", "validated", "unauthorized"]);
      expect(await countedRequests(org)).toBe(1);
    });

    test("a wrong key is unauthorized even with an exhausted quota or a deleted product", async () => {
      const org = await fixture.org({ dailyLimit: 0 });
      await changeProduct(org, { deleted_at: 1 });
      expect(await validateOne(org.store, forged(org))).toEqual({ tag: "unauthorized" });
    });

    test("an old key works until its overlap ends, exclusive of that moment", async () => {
      let nowMs = Date.UTC(2030, 5, 15);
      const org = await fixture.org({ now: () => nowMs });
      await rotate(org, nowMs + 1_000);
      nowMs += 999;
      expect((await ask(org, "X")).tag).toBe("validated");
      nowMs += 1;
      expect((await ask(org, "X")).tag).toBe("unauthorized");
    });

    test("the old and the new key of a product share its counter, in one batch and across batches", async () => {
      const org = await fixture.org({ dailyLimit: 5 });
      const newKey = await rotate(org, Date.now() + 3_600_000);
      const both = [org.apiKey, newKey, org.apiKey].map((key) => validate(key, "X"));
      expect(countTags(await org.store.validateBatch(both), "validated")).toBe(3);
      const tags = (await org.store.validateBatch(both)).map(({ tag }) => tag);
      expect(tags).toEqual(["validated", "validated", "limited"]);
      expect(await countedRequests(org)).toBe(5);
    });

    test("each key is valid only for its own product", async () => {
      const org = await fixture.org();
      const other = { ...org, ...(await org.product()) };
      const { key } = await org.license();
      expect([await statusOf(org, key), await statusOf(other, key)]).toEqual(["active", "license_not_found"]);
      expect(await recordOf(other, key)).toBeNull();
    });
  });
}

/** A call with the public ID of a real key and another secret. */
function forged({ apiKey }: TestOrganization) {
  const call = validate(apiKey, "X");
  return { ...call, apiKey: { ...call.apiKey, hash: "0".repeat(64) } };
}

/** Adds a second key to the product, and sets the expiry of the first. */
async function rotate(org: TestOrganization, oldEndsAtMs: number): Promise<string> {
  const next = generateApiKey(randomBytes);
  await expireApiKeys(org, oldEndsAtMs);
  await org.store.transaction((db) => addApiKey(db, org.productId, next, Date.now()));
  return next.key;
}
