import { expect, setDefaultTimeout, test } from "bun:test";
import { openPublicApiFixture } from "../support/public-api-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { verifyBody } from "../support/verify-body.ts";

setDefaultTimeout(60_000);

const nonce = "abcdefghijklmnop_-0123";

/** Every kind of verdict is signed, for the key as it was sent. KEY is an existing license. */
const bodies: readonly (readonly [what: string, body: string, keyAsSent: string, status: string])[] = [
  ["an active license", '{"license_key":"KEY"}', "KEY", "active"],
  ["a key in another form", '{"license_key":" lower(KEY) "}', " lower(KEY) ", "active"],
  ["an unknown key", '{"license_key":"none"}', "none", "license_not_found"],
  ["a body that is not JSON", "{", "", "license_not_found"],
  ["a key that is not a string", '{"license_key":4}', "", "license_not_found"],
  ["a key outside ASCII", '{"license_key":"ключ 🔑"}', "ключ 🔑", "license_not_found"],
];

/**
 * Signatures and nonces are tested in packages/domain/signing, and which secret signs when in
 * packages/store/suite/authentication.ts.
 */
testsOn(
  "postgres",
  "signatures",
  (make) =>
    openPublicApiFixture(make, {
      settings: {
        signed_validation: 1,
        custom_response_enabled: 1,
        custom_response: '{"text":"\\"signature\\":null}"}',
      },
    }),
  (fixture) => {
    const verify = (body: string, licenseKeyAsSent: string, expectedNonce: string) => {
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

    test.each(bodies)("the product's secret signs the verdict on %s", async (_, body, keyAsSent, status) => {
      const { key } = await fixture.org.license();
      const fill = (text: string) => text.replace("lower(KEY)", key.toLowerCase()).replace("KEY", key);
      const answer = await fixture.api.validateRaw(fill(body), { "x-countersign-nonce": nonce });
      expect(answer.body.status).toBe(status);
      expect(Object.keys(answer.body).at(-1)).toBe("signature");
      expect(verify(answer.text, fill(keyAsSent), nonce)).toEqual({ ok: true });
    });

    test.each([
      ["a nonce of 64 characters is signed", "Z9_-".repeat(16), "Z9_-".repeat(16)],
      ["a nonce that is too short is not signed", "a".repeat(15), ""],
      ["an empty nonce is not signed", "", ""],
    ])("%s", async (_, sent, included) => {
      const answer = await fixture.api.validate({ license_key: "none" }, { "x-countersign-nonce": sent });
      expect(verify(answer.text, "none", included)).toEqual({ ok: true });
    });
  },
);
