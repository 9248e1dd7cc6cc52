import { createHash, randomBytes, scryptSync } from "node:crypto";
import { StoreProblem } from "../errors/problem.ts";
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

/** Protects a data key with this passphrase from now on. */
export function storedForm(key: Uint8Array, passphrase: string | null): string {
  if (passphrase === null) return `plain.${Buffer.from(key).toString("base64url")}`;
  if (!needsStretching(passphrase)) return `sealed.${new Sealer(quickKey(passphrase)).seal(key)}`;
  const stretching = toScrypt();
  return `scrypt.${stretching.text}.${new Sealer(stretchedKey(passphrase, stretching)).seal(key)}`;
}

/**
 * Whether the passphrase has to be stretched. Not if it looks like at least 32 random bytes in hex or base64: nobody
 * guesses those, and the start is faster. Anything else may be chosen by a person.
 */
export function needsStretching(passphrase: string): boolean {
  const isHex = /^[0-9a-f]{64,}$/i.test(passphrase);
  const isBase64 =
    /^[A-Za-z0-9+/_-]{43,}={0,2}$/.test(passphrase) &&
    [/[A-Z]/, /[a-z]/, /[0-9]/].every((kind) => kind.test(passphrase));
  const different = new Set(passphrase).size;
  // All but one in a million random values have more distinct characters than this. The rest are stretched needlessly.
  return !((isHex && different >= 11) || (isBase64 && different >= 20));
}

interface Stretching {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Uint8Array;
  /** All of it, as stored. */
  readonly text: string;
}

/** 32 MiB and about a tenth of a second of CPU time per guess, as for users' passwords. */
const cost = { log2N: 15, r: 8, p: 3 };
/** Stored parameters must not exhaust the machine at startup. */
const highest = { log2N: 20, r: 32, p: 16 };

/** A new salt with today's cost. */
function toScrypt(): Stretching {
  const salt = randomBytes(16);
  const text = `${cost.log2N}-${cost.r}-${cost.p}-${salt.toString("hex")}`;
  return { ...cost, salt, text };
}

/** Parses what `toScrypt` wrote in front of an encrypted key. */
function fromScrypt(stored: string): { stretching: Stretching; rest: string } {
  const [, text = "", log2N, r, p, salt = "", rest = ""] =
    /^((\d{1,2})-(\d{1,2})-(\d{1,2})-([0-9a-f]{32}))\.(.+)$/.exec(stored) ?? [];
  const read = { log2N: Number(log2N), r: Number(r), p: Number(p) };
  const isUsable = (["log2N", "r", "p"] as const).every(
    (name) => read[name] >= 1 && read[name] <= highest[name],
  );
  if (!isUsable) throw new Error("The stored data key cannot be read.");
  return { stretching: { ...read, salt: Buffer.from(salt, "hex"), text }, rest };
}

function stretchedKey(passphrase: string, { log2N, r, p, salt }: Stretching): Uint8Array {
  const N = 2 ** log2N;
  return scryptSync(passphrase, salt, 32, { N, r, p, maxmem: 256 * N * r });
}

/** For passphrases that need no stretching. */
function quickKey(passphrase: string): Uint8Array {
  return createHash("sha256").update("countersign.data-key.v1\n").update(passphrase).digest();
}
