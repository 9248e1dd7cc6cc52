import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { addSigningKey } from "../queries/products/keys.ts";
import { validated } from "./calls.ts";
import { changeOrganization, changeProduct } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function signingKeys(fixture: StoreFixture) {
  describe("signing keys", () => {
    test("are returned only while both the product and the organization sign", async () => {
      const org = await fixture.org();
      const signing = async () => (await validated(org, "X")).caller.signing;
      expect(await signing()).toBeNull();
      await changeProduct(org, { signed_validation: 1 });
      expect((await signing())?.keyId).toBe(org.signingKey.id);
      await changeOrganization(org, { signed_validation: 0 });
      expect(await signing()).toBeNull();
    });

    test("are decrypted unchanged", async () => {
      const org = await fixture.org({ settings: { signed_validation: 1 } });
      const { caller } = await validated(org, "X", { on: await fixture.node() });
      expect(Buffer.from(caller.signing?.secret ?? []).equals(org.signingKey.secret)).toBe(true);
    });

    test("a rotated key signs from its start time", async () => {
      let nowMs = Date.UTC(2030, 5, 15);
      const org = await fixture.org({ settings: { signed_validation: 1 }, now: () => nowMs });
      const next = randomBytes(4).toString("hex");
      const key = {
        id: next,
        sealedSecret: org.store.sealer.seal(randomBytes(32)),
        activeFromMs: nowMs + 1_000,
      };
      await org.store.transaction((db) => addSigningKey(db, org.productId, key, nowMs));
      const keyId = async () => (await validated(org, "X")).caller.signing?.keyId;
      nowMs += 999;
      expect(await keyId()).toBe(org.signingKey.id);
      nowMs += 1;
      expect(await keyId()).toBe(next);
    });
  });
}
