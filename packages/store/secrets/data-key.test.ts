import { describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { createDataKey, needsStretching, openDataKey } from "./data-key.ts";
import { Sealer } from "./sealer.ts";

const phrase = "correct horse battery staple";
const random = randomBytes(32).toString("hex");

describe("stretching of passphrases", () => {
  test.each([
    ["hunter2hunter2hunter2", true],
    [phrase, true],
    ["a".repeat(64), true],
    ["0123456789".repeat(7), true],
    ["correcthorsebatterystaplecorrecthorsebatterystaple", true],
    [randomBytes(16).toString("hex"), true],
    [random, false],
    [randomBytes(48).toString("hex").toUpperCase(), false],
    ["q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=", false],
  ])("the passphrase %s can be guessed and is stretched: %p", (passphrase, expected) => {
    expect(needsStretching(passphrase)).toBe(expected);
  });
});

describe("data keys", () => {
  const key = randomBytes(32);
  const weak = createHash("sha256").update("countersign.data-key.v1\n").update(phrase).digest();
  // Stretching takes long.
  const withPhrase = openDataKey(`sealed.${new Sealer(weak).seal(key)}`, phrase).rewritten ?? "";

  test.each([
    ["without a passphrase", createDataKey(null), null, "plain."],
    ["with a random key", createDataKey(random), random, "sealed."],
  ])("a data key stored %s is decrypted to the same key every time", (_, stored, passphrase, beginning) => {
    expect(stored).toStartWith(beginning);
    const { key, rewritten } = openDataKey(stored, passphrase);
    expect([key.length, rewritten]).toEqual([32, null]);
    expect(openDataKey(stored, passphrase).key).toEqual(key);
  });

  test("a data key encrypted without stretching is re-encrypted once and stays the same key", () => {
    expect(withPhrase).toStartWith("scrypt.15-8-3-");
    const { key: opened, rewritten } = openDataKey(withPhrase, phrase);
    expect([Buffer.from(opened), rewritten]).toEqual([key, null]);
  });

  test("two encryptions with one passphrase differ, because each has its own salt", () => {
    const [, salt] = withPhrase.split(".");
    expect(createDataKey(phrase).split(".")).not.toContain(salt);
  });

  test("a plain data key is encrypted once there is a passphrase", () => {
    const stored = createDataKey(null);
    const { key, rewritten } = openDataKey(stored, random);
    expect(openDataKey(rewritten ?? "", random).key).toEqual(key);
  });

  test.each([
    ["another phrase", withPhrase, `${phrase}s`],
    ["another random key", createDataKey(random), randomBytes(32).toString("hex")],
    ["a cost out of range", withPhrase.replace("scrypt.15-", "scrypt.31-"), phrase],
    ["a truncated text", withPhrase.slice(0, 30), phrase],
  ])("a stored data key cannot be decrypted with %s", (_, stored, passphrase) => {
    expect(() => openDataKey(stored, passphrase)).toThrow("COUNTERSIGN_ENCRYPTION_KEY is not the key");
  });
});

test("the same secret is encrypted to a different text each time", () => {
  const sealer = new Sealer(randomBytes(32));
  const secret = randomBytes(32);
  const sealed = [sealer.seal(secret), sealer.seal(secret)];
  expect(sealed.map((text) => Buffer.from(sealer.open(text)))).toEqual([secret, secret]);
  const nonces = sealed.map((text) =>
    Buffer.from(text.slice(3), "base64url").subarray(0, 12).toString("hex"),
  );
  expect(nonces[0]).not.toBe(nonces[1]);
});
