import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { openPublicApiFixture, type PublicApiFixture, registeredIps } from "../support/public-api-fixture.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { arrange, expectedBody } from "./arrange-outcome.ts";
import { outcomeRows, past } from "./outcome-rows.ts";

setDefaultTimeout(60_000);

const hourMs = 3_600_000;

for (const { kind, make } of on("postgres")) {
  describe(`validate on ${kind}`, () => {
    let fixture: PublicApiFixture;
    beforeAll(async () => {
      fixture = await openPublicApiFixture(make);
    });
    afterAll(() => fixture.close());

    for (const row of outcomeRows) {
      test(row.name, async () => {
        const org = await openTestOrganization(null, {
          store: fixture.store,
          ...(row.plan === undefined ? {} : { plan: row.plan }),
          ...(row.product === undefined ? {} : { settings: row.product }),
        });
        const arranged = await arrange(org, row);
        try {
          const api = apiOf(fixture.server.url, org.apiKey);
          const answer = await api.validate({ license_key: arranged.key, ...row.sends });
          expect(answer.status).toBe(200);
          expect(answer.text).toBe(expectedBody(row));
          expect(answer.headers.get("x-countersign-problem")).toBeNull();
          if (row.ipsAfter !== undefined) {
            expect(await registeredIps(org.store, arranged.licenseId)).toEqual([...row.ipsAfter]);
          }
        } finally {
          await arranged.undo();
        }
      });
    }

    test("a license key of another product is not found", async () => {
      const { org } = fixture;
      const { key } = await org.license();
      const other = await org.product();
      const answer = await apiOf(fixture.server.url, other.apiKey).validate({ license_key: key });
      expect(answer.text).toBe(expectedBody({ status: "license_not_found" }));
    });

    const spellings: readonly (readonly [string, (key: string) => string])[] = [
      ["in lower case", (key) => key.toLowerCase()],
      ["with spaces around it", (key) => `  ${key}\t\n`],
      ["in mixed case with spaces", (key) => ` ${key.slice(0, 9).toLowerCase()}${key.slice(9)} `],
    ];
    for (const [how, spell] of spellings) {
      test(`a license key is found when it is sent ${how}`, async () => {
        const { key } = await fixture.org.license();
        expect((await fixture.api.validate({ license_key: spell(key) })).body.status).toBe("active");
      });
    }

    test("an imported key keeps its format and is found regardless of case", async () => {
      await fixture.org.license({ key: "old/Shop #42 – ünïcode" });
      const answer = await fixture.api.validate({ license_key: "OLD/shop #42 – ÜNÏcode" });
      expect(answer.body.status).toBe("active");
    });

    test("a rotated API key works until its overlap ends", async () => {
      const { org } = fixture;
      const rotated = await org.product();
      const old = generateApiKey((count) => crypto.getRandomValues(new Uint8Array(count)));
      const insert = (expiresAt: number) =>
        org.store.transaction((db) =>
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
      const api = apiOf(fixture.server.url, old.key);
      await insert(Date.now() + hourMs);
      expect((await api.validate({ license_key: "none" })).body.status).toBe("license_not_found");
      await insert(Date.now() - hourMs);
      expect((await api.validate({ license_key: "none" })).status).toBe(401);
    });
  });
}
