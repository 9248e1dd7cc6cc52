import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Verification, verifyBody } from "@countersign/domain/signing/signature";
import { on } from "../support/databases.ts";
import { openPublicApiFixture, type PublicApiFixture } from "../support/public-api-fixture.ts";

setDefaultTimeout(60_000);

const nonce = "abcdefghijklmnop_-0123";

/** Every kind of verdict is signed. `sent` is the whole body, with KEY for the license key. */
const bodies: readonly { what: string; sent: string; asSent: (key: string) => string; status: string }[] = [
  { what: "a valid verdict", sent: '{"license_key":"KEY"}', asSent: (key) => key, status: "active" },
  {
    what: "a key in lower case with spaces is signed as it was sent",
    sent: '{"license_key":" lower(KEY) "}',
    asSent: (key) => ` ${key.toLowerCase()} `,
    status: "active",
  },
  { what: "a refusal", sent: '{"license_key":"none"}', asSent: () => "none", status: "license_not_found" },
  { what: "a body that is not JSON", sent: "{", asSent: () => "", status: "license_not_found" },
  {
    what: "a key that is not a string",
    sent: '{"license_key":4}',
    asSent: () => "",
    status: "license_not_found",
  },
  {
    what: "a key with characters outside ASCII",
    sent: '{"license_key":"ключ 🔑"}',
    asSent: () => "ключ 🔑",
    status: "license_not_found",
  },
];

const nonces: readonly (readonly [string, string, string])[] = [
  ["16 characters", "a".repeat(16), "a".repeat(16)],
  ["64 characters", "Z9_-".repeat(16), "Z9_-".repeat(16)],
  ["15 characters", "a".repeat(15), ""],
  ["65 characters", "a".repeat(65), ""],
  ["a comma", `${"a".repeat(20)},v1=00`, ""],
  ["a dot", `${"a".repeat(20)}.`, ""],
  ["no characters", "", ""],
];

for (const { kind, make } of on("postgres")) {
  describe(`the signature on ${kind}`, () => {
    let fixture: PublicApiFixture;
    let key = "";
    beforeAll(async () => {
      fixture = await openPublicApiFixture(make, {
        settings: { signed_validation: 1, custom_response_enabled: 1 },
      });
      await fixture.org.store.transaction((db) =>
        db
          .updateTable("products")
          .set({ custom_response: '{"text":"\\"signature\\":null}"}' })
          .where("id", "=", fixture.org.productId)
          .execute(),
      );
      key = (await fixture.org.license()).key;
    });
    afterAll(() => fixture.close());

    const verify = (body: string, licenseKeyAsSent: string, expectedNonce: string): Verification => {
      const { signingKey, productId } = fixture.org;
      return verifyBody(body, {
        secretFor: (keyId) => (keyId === signingKey.id ? signingKey.secret : null),
        productId,
        licenseKeyAsSent,
        nonce: expectedNonce,
        nowUnixSeconds: Math.floor(Date.now() / 1000),
        toleranceSeconds: 120,
      });
    };

    for (const { what, sent, asSent, status } of bodies) {
      test(`${what}: the signature verifies with the product's secret`, async () => {
        const body = sent.replace("lower(KEY)", key.toLowerCase()).replace("KEY", key);
        const answer = await fixture.api.validateRaw(body, { "x-countersign-nonce": nonce });
        expect(answer.body.status).toBe(status);
        expect(answer.text).toEndWith('"}');
        expect(Object.keys(answer.body).at(-1)).toBe("signature");
        expect(verify(answer.text, asSent(key), nonce)).toEqual({ ok: true });
      });
    }

    for (const [what, sent, echoed] of nonces) {
      test(`a nonce with ${what} is ${echoed === "" ? "dropped" : "included in the signature"}`, async () => {
        const answer = await fixture.api.validate({ license_key: key }, { "x-countersign-nonce": sent });
        expect(verify(answer.text, key, echoed)).toEqual({ ok: true });
      });
    }

    test("a response does not verify for another key, another nonce or after a changed byte", async () => {
      const { text } = await fixture.api.validate({ license_key: key }, { "x-countersign-nonce": nonce });
      expect(verify(text, "other", nonce)).toEqual({ ok: false, reason: "mismatch" });
      expect(verify(text, key, "")).toEqual({ ok: false, reason: "nonce" });
      expect(verify(text.replace('"valid":true', '"valid":false'), key, nonce).ok).toBeFalse();
    });

    const switches = [
      ["the product", "products"],
      ["the organization", "organizations"],
    ] as const;
    for (const [who, table] of switches) {
      test(`responses are not signed while signing is off for ${who}`, async () => {
        const { store, productId, organizationId } = fixture.org;
        const id = table === "products" ? productId : organizationId;
        const set = (flag: 0 | 1) =>
          store.transaction((db) =>
            db.updateTable(table).set({ signed_validation: flag }).where("id", "=", id).execute(),
          );
        await set(0);
        expect((await fixture.api.validate({ license_key: key })).body.signature).toBeNull();
        await set(1);
        expect((await fixture.api.validate({ license_key: key })).body.signature).toStartWith("t=");
      });
    }

    test("a newer secret signs from its start time", async () => {
      const { store, productId } = fixture.org;
      const secret = crypto.getRandomValues(new Uint8Array(32));
      const addKey = (id: string, activeFrom: number) =>
        store.transaction((db) =>
          db
            .insertInto("product_signing_keys")
            .values({
              id,
              product_id: productId,
              sealed_secret: store.sealer.seal(secret),
              active_from: activeFrom,
              created_at: Date.now(),
            })
            .execute(),
        );
      await addKey("later", Date.now() + 3_600_000);
      expect((await fixture.api.validate({ license_key: key })).body.signature).toContain(
        `k=${fixture.org.signingKey.id},`,
      );
      await addKey("newer", Date.now() - 60_000);
      expect((await fixture.api.validate({ license_key: key })).body.signature).toContain("k=newer,");
    });
  });
}
