import { expect, test } from "bun:test";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { base64, base64url, fromBase64, fromHex, hex, isEqual, latin1, utf8 } from "../src/bytes.ts";
import { hmacSha256, sha256 } from "../src/sha256.ts";

const nodeHash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test("hashes of every length around the block size, and of parts of buffers, are those of node:crypto", () => {
  const bytes = randomBytes(301);
  for (let length = 0; length <= 300; length++)
    expect(hex(sha256(bytes.subarray(1, length + 1)))).toBe(nodeHash(bytes.subarray(1, length + 1)));
  const parts = [10, 0, 64, 55, 1].map((length) => randomBytes(length));
  expect(hex(sha256(...parts))).toBe(nodeHash(Buffer.concat(parts)));
});

test("codes with keys of every length are those of node:crypto", () => {
  for (const keyLength of [0, 1, 32, 63, 64, 65, 200]) {
    const key = randomBytes(keyLength);
    const bytes = randomBytes(100);
    expect(hex(hmacSha256(key, bytes))).toBe(createHmac("sha256", key).update(bytes).digest("hex"));
  }
});

test("text in base64 and hex is that of Buffer", () => {
  for (let length = 0; length < 40; length++) {
    const bytes = randomBytes(length);
    expect(base64(bytes)).toBe(bytes.toString("base64"));
    expect(base64url(bytes)).toBe(bytes.toString("base64url"));
    expect(hex(fromHex(bytes.toString("hex")))).toBe(bytes.toString("hex"));
    expect(hex(fromBase64(bytes.toString("base64")) ?? utf8("none"))).toBe(bytes.toString("hex"));
    expect(latin1(bytes)).toBe(bytes.toString("latin1"));
  }
  expect(fromBase64("%%%")).toBeNull();
  expect(fromBase64("A")).toBeNull();
});

test("only equal bytes are equal", () => {
  expect(isEqual(utf8("abc"), utf8("abc"))).toBe(true);
  expect(isEqual(utf8("abc"), utf8("abd"))).toBe(false);
  expect(isEqual(utf8("abc"), utf8("ab"))).toBe(false);
});
