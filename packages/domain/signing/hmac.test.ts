import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { hmacSha256 } from "./hmac.ts";

describe("hmacSha256", () => {
  test("says what the platform's HMAC says, for any secret and any text", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.string({ unit: "binary", maxLength: 500 }),
        (secret, text) => {
          expect(hmacSha256(secret, text)).toBe(createHmac("sha256", secret).update(text).digest("hex"));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("a secret used again gives the same for the same text", () => {
    const secret = new Uint8Array(32).fill(7);
    expect(hmacSha256(secret, "first")).not.toBe(hmacSha256(secret, "second"));
    expect(hmacSha256(secret, "first")).toBe(hmacSha256(secret.slice(), "first"));
  });
});
