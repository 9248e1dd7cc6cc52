import { describe, expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { type VerifyingParts, verifyBody } from "../../../tests/support/verify-body.ts";
import { hmacSha256, parseNonce, signBody } from "./signature.ts";

const secret = Uint8Array.from({ length: 32 }, (_, index) => index);
const unsigned =
  '{"valid":true,"status":"active","expires":null,"ip_registered":null,"ip_count":null,"max_ips":null,' +
  '"version":null,"version_valid":null,"custom":{"name":"Zoë 😀"},"signature":null}';
const asked = { nonce: "nonce-0123456789", productId: "prod_1", licenseKeyAsSent: "abcd-efgh-jkmn-pqrs" };
const signing = { keyId: "sk_1", secret, unixSeconds: 1_790_000_000, ...asked };
const verifying: VerifyingParts = {
  secretFor: (keyId) => (keyId === "sk_1" ? secret : null),
  ...asked,
  nowUnixSeconds: 1_790_000_010,
  toleranceSeconds: 300,
};
const signed = signBody(unsigned, signing);

describe("signBody", () => {
  // The HMAC was computed with another implementation, from the rule alone.
  const knownMac = "0e3a9dce442fe318f878ac1ad3abd0b9ec86fb014134b8f9205677550be51566";

  test("the signature of a known body is the known one", () => {
    const signature = `t=1790000000,n=nonce-0123456789,k=sk_1,v1=${knownMac}`;
    expect(signed).toBe(`${unsigned.slice(0, -"null}".length)}"${signature}"}`);
  });

  test("without a nonce, its field in the signature is empty", () => {
    const body = signBody(unsigned, { ...signing, nonce: "" });
    expect(JSON.parse(body).signature).toStartWith("t=1790000000,n=,k=sk_1,v1=");
    expect(verifyBody(body, { ...verifying, nonce: "" })).toEqual({ ok: true });
  });

  test.each<[name: string, body: string, changed: Partial<typeof signing>]>([
    ["a body without the member", '{"valid":true}', {}],
    ["a body that is signed already", signed, {}],
    ["a key id that breaks the format", unsigned, { keyId: 'a",' }],
    ["a nonce that was not parsed", unsigned, { nonce: 'x","valid":true' }],
  ])("signing %s is an error", (_name, body, changed) => {
    expect(() => signBody(body, { ...signing, ...changed })).toThrow();
  });
});

describe("a signed body", () => {
  const edited = (from: string | RegExp, to: string | ((found: string) => string)) =>
    signed.replace(from, typeof to === "string" ? () => to : to);
  test.each<[name: string, body: string, changed: Partial<VerifyingParts>, reason: string]>([
    ["an unsigned body", unsigned, {}, "missing"],
    ["a body without the member", '{"valid":true}', {}, "missing"],
    ["an unsigned body with a nested signature", unsigned.replace('"name"', '"signature"'), {}, "missing"],
    ["text after the body", `${signed} `, {}, "malformed"],
    ["another member after the signature", `${signed.slice(0, -1)},"valid":true}`, {}, "malformed"],
    ["an upper-case code", edited(/[0-9a-f]{64}/, (code) => code.toUpperCase()), {}, "malformed"],
    ["a leading zero in the time", edited("t=1", "t=01"), {}, "malformed"],
    ["an unknown key", edited("k=sk_1", "k=sk_2"), {}, "unknown_key"],
    ["an answer too old", signed, { nowUnixSeconds: 1_790_000_301 }, "stale"],
    ["an answer from the future", signed, { nowUnixSeconds: 1_789_999_699 }, "stale"],
    ["another question's nonce", signed, { nonce: "another-nonce-00" }, "nonce"],
    ["no nonce where one was sent", signBody(unsigned, { ...signing, nonce: "" }), {}, "nonce"],
    ["a changed verdict", edited('"status":"active"', '"status":"actIve"'), {}, "mismatch"],
    ["another product", signed, { productId: "prod_2" }, "mismatch"],
    ["another license key", signed, { licenseKeyAsSent: "ABCD-EFGH-JKMN-PQRS" }, "mismatch"],
    ["another secret", signed, { secretFor: () => new Uint8Array(32) }, "mismatch"],
  ])("the verification of responses refuses %s", (_name, body, changed, reason) => {
    expect<unknown>(verifyBody(body, { ...verifying, ...changed })).toEqual({ ok: false, reason });
  });

  test("a time at the tolerance itself is accepted, on both sides", () => {
    for (const nowUnixSeconds of [1_790_000_300, 1_789_999_700])
      expect(verifyBody(signed, { ...verifying, nowUnixSeconds }).ok).toBe(true);
  });

  test("a signed body with any single bit changed is refused", () => {
    const bytes = Buffer.from(signed);
    // A key id and a time the flip may reach are accepted here, so that only the code can refuse.
    const lenient = { ...verifying, secretFor: () => secret, toleranceSeconds: Number.MAX_SAFE_INTEGER };
    const keyIdStart = bytes.indexOf(",k=") + 3;
    const isKeyId = (index: number) => index >= keyIdStart && index < keyIdStart + signing.keyId.length;
    for (const index of bytes.keys())
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(bytes);
        flipped.writeUInt8(flipped.readUInt8(index) ^ (1 << bit), index);
        const accepting = isKeyId(index) ? verifying : lenient;
        expect([index, bit, verifyBody(flipped.toString(), accepting).ok]).toEqual([index, bit, false]);
      }
  });

  test("every signed body is accepted for its license key as sent, and refused for any other", () =>
    forAll(100, [fc.json(), fc.string({ unit: "grapheme" }), fc.string()], (custom, key, other) => {
      const body = signBody(`{"custom":${custom},"signature":null}`, { ...signing, licenseKeyAsSent: key });
      expect(verifyBody(body, { ...verifying, licenseKeyAsSent: key })).toEqual({ ok: true });
      if (other !== key) expect(verifyBody(body, { ...verifying, licenseKeyAsSent: other }).ok).toBe(false);
    }));
});

describe("parseNonce", () => {
  test.each(["abcdefghijklmnop", "ABC-def_0123456789", "n".repeat(64)])("%s is a valid nonce", (header) => {
    expect(parseNonce(header)).toBe(header);
  });

  test.each([
    ...["n".repeat(15), "n".repeat(65), null, "abcdefghijklmnop\n", " abcdefghijklmnop"],
    ...["abcdefghijklmnop, abcdefghijklmnop", "abcdefgh+jklmnop", "äbcdefghijklmnop"],
  ])("the nonce %p is ignored", (header) => expect(parseNonce(header)).toBe(""));
});

describe("hmacSha256", () => {
  test("the HMAC is that of the platform, for any secret and any text", () => {
    const secret = fc.uint8Array({ minLength: 1, maxLength: 200 });
    forAll(500, [secret, fc.string({ unit: "binary", maxLength: 500 })], (secret, text) => {
      expect(hmacSha256(secret, text)).toBe(createHmac("sha256", secret).update(text).digest("hex"));
    });
  });

  test("a secret that is used again gives the same HMAC for the same text", () => {
    const secret = new Uint8Array(32).fill(7);
    expect(hmacSha256(secret, "first")).not.toBe(hmacSha256(secret, "second"));
    expect(hmacSha256(secret, "first")).toBe(hmacSha256(secret.slice(), "first"));
  });
});
