import { randomBytes } from "node:crypto";
import { StoreProblem } from "../errors/problem.ts";
import { fromScrypt, needsStretching, quickKey, stretchedKey, toScrypt } from "./passphrase.ts";
import { Sealer } from "./sealer.ts";

/**
 * The key that secrets are encrypted with. It is created once and stored in the database, itself encrypted with the
 * operator's passphrase if there is one, so that every node and every backup has it and no passphrase is required to
 * start. Its stored form says how the passphrase becomes a key: `plain.<key>`, `sealed.<sealed key>` or
 * `scrypt.<parameters and salt>.<sealed key>`.
 */
export function createDataKey(passphrase: string | null): string {
  return storedForm(randomBytes(32), passphrase);
}

export function openDataKey(
  stored: string,
  passphrase: string | null,
): { key: Uint8Array; rewritten: string | null } {
  if (stored.startsWith("plain.")) {
    const key = Buffer.from(stored.slice("plain.".length), "base64url");
    return { key, rewritten: passphrase === null ? null : storedForm(key, passphrase) };
  }
  if (passphrase === null) {
    throw new StoreProblem(
      "This database is protected with an encryption key. Set COUNTERSIGN_ENCRYPTION_KEY (or …_FILE) to that key.",
    );
  }
  try {
    if (stored.startsWith("scrypt.")) {
      const { stretching, rest } = fromScrypt(stored.slice("scrypt.".length));
      return { key: new Sealer(stretchedKey(passphrase, stretching)).open(rest), rewritten: null };
    }
    const key = new Sealer(quickKey(passphrase)).open(stored.slice("sealed.".length));
    return { key, rewritten: needsStretching(passphrase) ? storedForm(key, passphrase) : null };
  } catch (cause) {
    throw new StoreProblem(
      "COUNTERSIGN_ENCRYPTION_KEY is not the key that protects this database. Set it to that key.",
      { cause },
    );
  }
}

function storedForm(key: Uint8Array, passphrase: string | null): string {
  if (passphrase === null) return `plain.${Buffer.from(key).toString("base64url")}`;
  if (!needsStretching(passphrase)) return `sealed.${new Sealer(quickKey(passphrase)).seal(key)}`;
  const stretching = toScrypt();
  return `scrypt.${stretching.text}.${new Sealer(stretchedKey(passphrase, stretching)).seal(key)}`;
}
