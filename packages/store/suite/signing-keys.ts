import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { as, validate, validateOne } from "./calls.ts";
import { changeOrganization, changeProduct } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function signingKeys(fixture: StoreFixture) {
  describe("signing keys", () => {
    test("are returned only while both the product and the organization sign", async () => {
      const org = await fixture.org();
      const signing = async () =>
        as("validated", await validateOne(org.store, validate(org.apiKey, "X"))).caller.signing;
      expect(await signing()).toBeNull();
      await changeProduct(org, { signed_validation: 1 });
      expect((await signing())?.keyId).toBe(org.signingKey.id);
      await changeOrganization(org, { signed_validation: 0 });
      expect(await signing()).toBeNull();
    });

    test("are decrypted unchanged", async () => {
      const org = await fixture.org({ settings: { signed_validation: 1 } });
      const { caller } = as("validated", await validateOne(await fixture.node(), validate(org.apiKey, "X")));
      expect(Buffer.from(caller.signing?.secret ?? []).equals(org.signingKey.secret)).toBe(true);
    });

    test("a rotated key signs from its start time", async () => {
      let nowMs = Date.UTC(2030, 5, 15);
      const org = await fixture.org({ settings: { signed_validation: 1 }, now: () => nowMs });
      const { store, productId } = org;
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
        as("validated", await validateOne(store, validate(org.apiKey, "X"))).caller.signing?.keyId;
      nowMs += 999;
      expect(await keyId()).toBe(org.signingKey.id);
      nowMs += 1;
      expect(await keyId()).toBe(next.id);
    });
  });
}
