import { expect, test } from "bun:test";
import { generateAccessToken, hashAccessToken, isAccessToken } from "./access-token.ts";

const bytes = (count: number) => new Uint8Array(count).fill(255);

test("a token has 32 random bytes, of which the shown beginning reveals a few bits", () => {
  const { token, hash, shownPrefix } = generateAccessToken(bytes);
  expect(token).toBe(`cst_${Buffer.from(bytes(32)).toString("base64url")}`);
  expect(shownPrefix).toBe("cst_______");
  expect(hash).toBe(hashAccessToken(token));
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ["cst_", 43, true],
  ["cst_", 42, false],
  ["cst_", 44, false],
  ["csk_", 43, false],
])("%s and %d characters are an access token: %p", (scheme, length, expected) => {
  expect(isAccessToken(scheme + "x".repeat(length))).toBe(expected);
});
