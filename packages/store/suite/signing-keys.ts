import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { as, judgeOne, validate } from "./calls.ts";
import { changeOrganization, changeProduct } from "./changes.ts";
import type { Stage } from "./stage.ts";

export function signingKeys(stage: Stage) {
  describe("signing keys", () => {
    test("are handed out only while both the product and the organization sign", async () => {
      const seller = await stage.seller();
      const signing = async () =>
        as("validated", await judgeOne(seller.store, validate(seller.apiKey, "X"))).caller.signing;
      expect(await signing()).toBeNull();
      await changeProduct(seller, { signed_validation: 1 });
      expect((await signing())?.keyId).toBe(seller.signingKey.id);
      await changeOrganization(seller, { signed_validation: 0 });
      expect(await signing()).toBeNull();
    });

    test("come back from storage as they were sealed", async () => {
      const seller = await stage.seller({ settings: { signed_validation: 1 } });
      const { caller } = as("validated", await judgeOne(await stage.node(), validate(seller.apiKey, "X")));
      expect(Buffer.from(caller.signing?.secret ?? []).equals(seller.signingKey.secret)).toBe(true);
    });

    test("a rotated key signs from its time on, and not before", async () => {
      let nowMs = Date.UTC(2030, 5, 15);
      const seller = await stage.seller({ settings: { signed_validation: 1 }, now: () => nowMs });
      const { store, productId } = seller;
      const next = { id: randomBytes(4).toString("hex"), activeFromMs: nowMs + 1_000 };
      await store.transaction((db) =>
        db
          .insertInto("product_signing_keys")
          .values({
            id: next.id,
            product_id: productId,
            sealed_secret: store.sealer.seal(randomBytes(32)),
            active_from: next.activeFromMs,
            created_at: nowMs,
          })
          .execute(),
      );
      const keyId = async () =>
        as("validated", await judgeOne(store, validate(seller.apiKey, "X"))).caller.signing?.keyId;
      nowMs += 999;
      expect(await keyId()).toBe(seller.signingKey.id);
      nowMs += 1;
      expect(await keyId()).toBe(next.id);
    });
  });
}
