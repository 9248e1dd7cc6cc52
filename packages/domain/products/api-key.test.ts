import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import {
  generateApiKey,
  generateTestKey,
  hashApiKey,
  parseApiKey,
  parseBearer,
  sameHash,
} from "./api-key.ts";

/** Made of the bytes 0 to 39; its checksum was computed by another implementation. */
const knownKey = "csk_01234567_89ABCDEFGHIJKLMNOPQRSTUVWXYZabcd1CwLtP";

const random = (count: number) => randomBytes(count);
const counting = () => {
  let next = 0;
  return (count: number) => Uint8Array.from({ length: count }, () => next++ & 255);
};

describe("generateApiKey", () => {
  test("an API key is csk_, a public ID, a secret and a checksum", () => {
    const { key, publicId, shownPrefix, hash } = generateApiKey(random);
    expect(key).toMatch(/^csk_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(key.slice(4, 12)).toBe(publicId);
    expect(shownPrefix).toBe(`csk_${publicId}`);
    expect(hash).toBe(hashApiKey(key));
    expect(parseApiKey(key)).toEqual({ publicId, isTest: false });
  });

  test("known bytes give a known key", () => expect(generateApiKey(counting()).key).toBe(knownKey));

  test("bytes that would favour some characters are discarded", () => {
    let calls = 0;
    const { key } = generateApiKey((count) => new Uint8Array(count).fill(calls++ % 2 === 0 ? 248 : 247));
    expect(key.slice(0, 45)).toBe(`csk_${"z".repeat(8)}_${"z".repeat(32)}`);
  });

  test("every character of the alphabet is about equally likely", () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 2_000; round++) {
      for (const character of generateApiKey(random).key.slice(13, 45)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - 64_000 / 62)).toBeLessThan(250);
  });

  test("a broken random source is an error, and causes no endless loop", () => {
    expect(() => generateApiKey((count) => new Uint8Array(count).fill(255))).toThrow();
    expect(() => generateApiKey(() => new Uint8Array(0))).toThrow();
  });
});

test("a test key has the shape of an API key with its own beginning, which cannot be replaced", () => {
  const { key, publicId } = generateTestKey(random);
  expect(key).toMatch(/^cskt_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
  expect(parseApiKey(key)).toEqual({ publicId, isTest: true });
  expect(parseApiKey(key.replace("cskt_", "csk_"))).toBeNull();
  expect(parseApiKey(generateApiKey(random).key.replace("csk_", "cskt_"))).toBeNull();
});

describe("parseApiKey", () => {
  test.each<[name: string, text: string]>([
    ["nothing", ""],
    ["a key cut short", knownKey.slice(0, -1)],
    ["a key with more behind it", `${knownKey}0`],
    ["another scheme", `csx_${knownKey.slice(4)}`],
    ["upper-case scheme", `CSK_${knownKey.slice(4)}`],
    ["a moved separator", knownKey.replace(/_(.)([^_]+)$/, "$1_$2")],
    // With the right checksums.
    ["characters outside the alphabet", `csk_01234567_${"-".repeat(32)}4Ue64y`],
    ["characters outside ASCII", `csk_01234567_${"é".repeat(32)}17QTaK`],
    ["a checksum outside the alphabet", `${knownKey.slice(0, -1)}!`],
    ["a very long text", "csk_".repeat(100_000)],
  ])("the parser of API keys refuses %s", (_name, text) => expect(parseApiKey(text)).toBeNull());

  test("an API key with any one character changed is refused", () => {
    const { key } = generateApiKey(random);
    forAll(2000, [fc.nat(key.length - 1), fc.string({ minLength: 1, maxLength: 1 })], (index, character) => {
      fc.pre(key[index] !== character);
      expect(parseApiKey(key.slice(0, index) + character + key.slice(index + 1))).toBeNull();
    });
  });

  test("every generated API key is accepted", () =>
    forAll(100, [fc.infiniteStream(fc.nat(255))], (stream) => {
      const { key, publicId } = generateApiKey((count) => Uint8Array.from(stream.take(count)));
      expect(parseApiKey(key)).toEqual({ publicId, isTest: false });
    }));
});

describe("hashes", () => {
  test("hashApiKey is SHA-256 in lower-case hex", () =>
    expect(hashApiKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));

  test.each<[a: string, b: string, same: boolean]>([
    [hashApiKey("a"), hashApiKey("a"), true],
    [hashApiKey("a"), hashApiKey("b"), false],
    [hashApiKey("a"), hashApiKey("a").slice(1), false],
    [hashApiKey("a"), "", false],
    ["", "", true],
    ["\u0101", "\u0001", false],
  ])("sameHash of %p and %p is %p", (a, b, same) => expect(sameHash(a, b)).toBe(same));
});

test.each<[header: string | null, token: string | null]>([
  ["Bearer abc", "abc"],
  ["bearer abc", "abc"],
  ["Bearer   abc", "abc"],
  [`Bearer ${knownKey}`, knownKey],
  ["Bearer a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="],
])("the header %p contains the token %p", (header, token) => expect(parseBearer(header)).toBe(token));

test.each([
  ...[null, "", "Bearer", "Bearer ", "Bearer  ", "Bearerabc", "Bearer\tabc", " Bearer abc", "Bearer abc "],
  ...["Bearer abc def", "Bearer abc,def", "Bearer abc, Bearer def", `Bearer "abc"`, "Bearer =abc"],
  ...["Bearer a=b", "Bearer abc\n", "Bearer é", "Basic abc", "Token abc", "abc"],
  ...[250, 1_000_000].map((length) => `Bearer ${"a".repeat(length)}`),
])("the header %p contains no token", (header) => expect(parseBearer(header)).toBeNull());
