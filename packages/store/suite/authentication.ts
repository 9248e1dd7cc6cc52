import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { countedRequests } from "../../../tests/support/public-api-fixture.ts";
import type { TestOrganization } from "../../../tests/support/test-organization.ts";
import { addSigningKey } from "../queries/products/keys.ts";
import { addApiKey } from "../queries/products/products.ts";
import { ask, lookup, recordOf, statusOf, validate, validateAll, validated } from "./calls.ts";
import { changeOrganization, changeProduct, expireApiKeys } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function authentication(fixture: StoreFixture) {
  describe("API keys", () => {
    test("an unknown key or another secret is unauthorized before anything else, and such a body is never read", async () => {
      const org = await fixture.org({ dailyLimit: 1 });
      const call = validate(org.apiKey, "X");
      let read = 0;
      const question = () => {
        read += 1;
        return call.question();
      };
      const { key } = generateApiKey(randomBytes);
      const forged = { ...call, apiKey: { ...call.apiKey, hash: "0".repeat(64) }, question };
      const unknown = [validate(key, "X"), lookup(key, "X")];
      const calls = [forged, ...unknown, { ...call, question }, forged];
      const tags = async () => (await validateAll(org.store, calls)).map(({ tag }) => tag);
      const refused = ["unauthorized", "unauthorized", "unauthorized"] as const;
      expect(await tags()).toEqual([...refused, "validated", "unauthorized"]);
      expect([read, await countedRequests(org)]).toEqual([1, 1]);
      expect(await tags()).toEqual([...refused, "limited", "unauthorized"]);
      await changeProduct(org, { deleted_at: 1 });
      expect(await tags()).toEqual([...refused, "limited", "unauthorized"]);
    });

    test("an old key works until its overlap ends, exclusive of that moment, on every node", async () => {
      let nowMs = Date.UTC(2030, 5, 15);
      const org = await fixture.org({ now: () => nowMs });
      const there = { ...org, store: await fixture.node() };
      await rotate(there, nowMs + 1_000);
      for (const [laterMs, tag] of [
        [999, "validated"],
        [1, "unauthorized"],
      ] as const) {
        nowMs += laterMs;
        expect([(await ask(org, "X")).tag, (await ask(there, "X")).tag]).toEqual([tag, tag]);
      }
    });

    test("the old and the new key of a product share its counter, in one batch and across batches", async () => {
      const org = await fixture.org({ dailyLimit: 5 });
      const newKey = await rotate(org, Date.now() + 3_600_000);
      const both = [org.apiKey, newKey, org.apiKey].map((key) => validate(key, "X"));
      const tags = async () => (await validateAll(org.store, both)).map(({ tag }) => tag);
      expect(await tags()).toEqual(["validated", "validated", "validated"]);
      expect(await tags()).toEqual(["validated", "validated", "limited"]);
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

  describe("signing keys", () => {
    test("signing keys are returned unchanged on every node, only while both the product and the organization sign", async () => {
      const org = await fixture.org();
      const there = { ...org, store: await fixture.node() };
      const signing = async () => (await validated(there, "X")).caller.signing;
      expect(await signing()).toBeNull();
      await changeProduct(org, { signed_validation: 1 });
      const { keyId, secret = [] } = (await signing()) ?? {};
      expect(keyId).toBe(org.signingKey.id);
      expect(Buffer.from(secret).equals(org.signingKey.secret)).toBe(true);
      await changeOrganization(org, { signed_validation: 0 });
      expect(await signing()).toBeNull();
    });

    test("signing keys sign from their start time", async () => {
      let nowMs = Date.UTC(2030, 5, 15);
      const org = await fixture.org({ settings: { signed_validation: 1 }, now: () => nowMs });
      const next = randomBytes(4).toString("hex");
      const sealedSecret = org.store.sealer.seal(randomBytes(32));
      const key = { id: next, sealedSecret, activeFromMs: nowMs + 1_000 };
      await org.store.transaction((db) => addSigningKey(db, org.productId, key, nowMs));
      const keyId = async () => (await validated(org, "X")).caller.signing?.keyId;
      nowMs += 999;
      expect(await keyId()).toBe(org.signingKey.id);
      nowMs += 1;
      expect(await keyId()).toBe(next);
    });
  });
}

/** Adds a second key to the product, and sets the expiry of the first. */
async function rotate(org: TestOrganization, oldEndsAtMs: number): Promise<string> {
  const next = generateApiKey(randomBytes);
  await expireApiKeys(org, oldEndsAtMs);
  await org.store.transaction((db) => addApiKey(db, org.productId, next, Date.now()));
  return next.key;
}
