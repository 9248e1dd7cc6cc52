import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { openScene, registeredIps, type Scene } from "../support/scene.ts";
import { openSeller } from "../support/seller.ts";
import { arrange, expectedBody } from "./arrange-outcome.ts";
import { outcomeRows, past } from "./outcome-rows.ts";

setDefaultTimeout(60_000);

const hourMs = 3_600_000;

for (const { kind, make } of databases) {
  describe(`validate on ${kind}`, () => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await openScene(make);
    });
    afterAll(() => scene.close());

    for (const row of outcomeRows) {
      test(row.says, async () => {
        const seller = await openSeller(scene.database.location, {
          ...(row.plan === undefined ? {} : { plan: row.plan }),
          ...(row.product === undefined ? {} : { settings: row.product }),
        });
        const arranged = await arrange(seller, row);
        try {
          const api = apiOf(scene.server.url, seller.apiKey);
          const answer = await api.validate({ license_key: arranged.key, ...row.sends });
          expect(answer.status).toBe(200);
          expect(answer.text).toBe(expectedBody(row));
          expect(answer.headers.get("x-countersign-problem")).toBeNull();
          if (row.ipsAfter !== undefined) {
            expect(await registeredIps(seller.store, arranged.licenseId)).toEqual([...row.ipsAfter]);
          }
        } finally {
          await arranged.undo();
          await seller.store.close();
        }
      });
    }

    test("a key of another product is not found", async () => {
      const { seller } = scene;
      const { key } = await seller.license();
      const other = await seller.product();
      const answer = await apiOf(scene.server.url, other.apiKey).validate({ license_key: key });
      expect(answer.text).toBe(expectedBody({ status: "license_not_found" }));
    });

    const spellings: readonly (readonly [string, (key: string) => string])[] = [
      ["in lower case", (key) => key.toLowerCase()],
      ["with spaces around it", (key) => `  ${key}\t\n`],
      ["in mixed case with spaces", (key) => ` ${key.slice(0, 9).toLowerCase()}${key.slice(9)} `],
    ];
    for (const [how, spell] of spellings) {
      test(`a license key is found when it is sent ${how}`, async () => {
        const { key } = await scene.seller.license();
        expect((await scene.api.validate({ license_key: spell(key) })).body.status).toBe("active");
      });
    }

    test("an imported key keeps its shape and is found regardless of case", async () => {
      await scene.seller.license({ key: "old/Shop #42 – ünïcode" });
      const answer = await scene.api.validate({ license_key: "OLD/shop #42 – ÜNÏcode" });
      expect(answer.body.status).toBe("active");
    });

    test("the key that a rotation replaced works until its overlap ends, and not after", async () => {
      const { seller } = scene;
      const rotated = await seller.product();
      const old = generateApiKey((count) => crypto.getRandomValues(new Uint8Array(count)));
      const insert = (expiresAt: number) =>
        seller.store.transaction((db) =>
          db
            .insertInto("product_api_keys")
            .values({
              public_id: old.publicId,
              product_id: rotated.productId,
              hash: old.hash,
              name: "",
              last_used_at: null,
              created_at: past,
              expires_at: expiresAt,
            })
            .onConflict((conflict) => conflict.column("public_id").doUpdateSet({ expires_at: expiresAt }))
            .execute(),
        );
      const api = apiOf(scene.server.url, old.key);
      await insert(Date.now() + hourMs);
      expect((await api.validate({ license_key: "none" })).body.status).toBe("license_not_found");
      await insert(Date.now() - hourMs);
      expect((await api.validate({ license_key: "none" })).status).toBe(401);
    });
  });
}
