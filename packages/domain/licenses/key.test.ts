import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { generateLicenseKey, matchForm, parseImportedKey } from "./key.ts";

const tenBytes = fc.uint8Array({ minLength: 10, maxLength: 10 });

describe("generateLicenseKey", () => {
  test.each<[hex: string, key: string]>([
    ["00000000000000000000", "0000-0000-0000-0000"],
    ["ffffffffffffffffffff", "ZZZZ-ZZZZ-ZZZZ-ZZZZ"],
    ["00443214c74254b635cf", "0123-4567-89AB-CDEF"],
    ["84653a56d7c675be77df", "GHJK-MNPQ-RSTV-WXYZ"],
  ])("the license key of the bytes %s is %s", (hex, key) => {
    expect(generateLicenseKey(() => new Uint8Array(Buffer.from(hex, "hex")))).toBe(key);
  });

  test("different bytes give different license keys", () =>
    forAll(100, [tenBytes, fc.nat(79)], (bytes, bit) => {
      const flipped = bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(generateLicenseKey(() => flipped)).not.toBe(generateLicenseKey(() => bytes));
    }));

  test("a license key has four groups of four unmistakable characters, each about equally often", () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 4_000; round++) {
      const key = generateLicenseKey((count) => randomBytes(count));
      expect(key).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
      for (const character of key.replaceAll("-", ""))
        counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(32);
    for (const count of counts.values()) expect(Math.abs(count - 2_000)).toBeLessThan(400);
  });

  test("a random source with too few bytes is an error, and gives no weaker license key", () =>
    expect(() => generateLicenseKey(() => new Uint8Array(9))).toThrow());
});

test.each<[written: string, form: string]>([
  ["abcd-efgh-jkmn-pqrs", "ABCD-EFGH-JKMN-PQRS"],
  ["  ABCD-efgh-JKMN-pqrs\n", "ABCD-EFGH-JKMN-PQRS"],
  ["Old Key_1", "OLD KEY_1"],
  ["", ""],
])("the license key %p is matched as %p", (written, form) => expect(matchForm(written)).toBe(form));

describe("parseImportedKey", () => {
  test.each<[written: string, key: string]>([
    ["A", "A"],
    ["  old-Key 1 ", "old-Key 1"],
    ["k".repeat(64), "k".repeat(64)],
    ["ключ-😀", "ключ-😀"],
    ["😀".repeat(64), "😀".repeat(64)],
  ])("%p is imported as %p", (written, key) => expect(parseImportedKey(written)).toEqual({ ok: true, key }));

  test.each([
    ...["", "   ", "k".repeat(65), "😀".repeat(65), "k".repeat(1_000_000), "a\nb", "a\u0000b"],
    ...["a\u007fb", "a\u0085b", "a\ud800b", "a\udc00b", "a\u200bb", "a\u202eb", "a\u2028b"],
  ])("the license key %p is refused with a code", (written) => {
    const result = parseImportedKey(written);
    expect(result.ok ? "" : result.fault.code).toMatch(/^(too_short|too_long|license_key_unprintable)$/);
  });
});
