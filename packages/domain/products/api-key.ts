import { hash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { dayMs } from "../dates/lengths.ts";

export interface NewApiKey {
  readonly publicId: string;
  /** Shown once, never stored. */
  readonly key: string;
  readonly hash: string;
  readonly shownPrefix: string;
}

export function generateApiKey(randomBytes: (count: number) => Uint8Array): NewApiKey {
  const { publicId, key } = newKey(scheme, randomBytes);
  return { publicId, key, hash: hashApiKey(key), shownPrefix: shownPrefix(publicId) };
}

/** A test API key. It grants nothing, so the whole key is stored and can be shown again. */
export function generateTestKey(randomBytes: (count: number) => Uint8Array): {
  readonly publicId: string;
  readonly key: string;
} {
  return newKey(testScheme, randomBytes);
}

/** The part of a key that can be shown again. */
export function shownPrefix(publicId: string): string {
  return `${scheme}${publicId}`;
}

interface ParsedApiKey {
  readonly publicId: string;
  /** Whether it is a test API key, for the sandbox. */
  readonly isTest: boolean;
}

/** The checksum rejects a mistyped or made-up key before storage is queried. It proves nothing. */
export function parseApiKey(text: string): ParsedApiKey | null {
  const isTest = text.startsWith(testScheme);
  if (!isTest && !text.startsWith(scheme)) return null;
  const publicIdStart = isTest ? testScheme.length : scheme.length;
  const publicIdEnd = publicIdStart + publicIdLength;
  const checkedLength = publicIdEnd + 1 + secretLength;
  const keyLength = checkedLength + checksumLength;
  if (text.length !== keyLength || text.charCodeAt(publicIdEnd) !== underscore) return null;
  for (let index = publicIdStart; index < checkedLength; index++) {
    if (index !== publicIdEnd && base62Value(text.charCodeAt(index)) === notBase62) return null;
  }
  let claimed = 0;
  for (let index = checkedLength; index < keyLength; index++) {
    const value = base62Value(text.charCodeAt(index));
    if (value === notBase62) return null;
    claimed = claimed * 62 + value;
  }
  return claimed === crc32(text.slice(0, checkedLength))
    ? { publicId: text.slice(publicIdStart, publicIdEnd), isTest }
    : null;
}

export function hashApiKey(key: string): string {
  return hash("sha256", key, "hex");
}

export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

export function parseBearer(authorization: string | null): string | null {
  if (authorization === null || authorization.length > maxAuthorizationLength) return null;
  return bearer.exec(authorization)?.[1] ?? null;
}

const scheme = "csk_";
const testScheme = "cskt_";
const publicIdLength = 8;
const secretLength = 32;
const checksumLength = 6;
const underscore = 95;

const maxAuthorizationLength = 256;

/** The token68 of RFC 7235: a single token, so a list of credentials or a second word is rejected. */
const bearer = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const notBase62 = 255;
const base62Values = new Uint8Array(128).fill(notBase62);
for (let value = 0; value < base62.length; value++) base62Values[base62.charCodeAt(value)] = value;

function base62Value(code: number): number {
  return base62Values[code] ?? notBase62;
}

function newKey(beginning: string, randomBytes: (count: number) => Uint8Array) {
  const publicId = randomBase62(randomBytes, publicIdLength);
  const unchecked = `${beginning}${publicId}_${randomBase62(randomBytes, secretLength)}`;
  return { publicId, key: unchecked + checksum(unchecked) };
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let count = 0; count < checksumLength; count++) {
    digits = base62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Bytes from 248 on are discarded: folding them in would make the first eight characters more likely. */
function randomBase62(randomBytes: (count: number) => Uint8Array, length: number): string {
  let text = "";
  for (let rounds = 0; rounds < maxRounds; rounds++) {
    for (const byte of randomBytes(length)) {
      if (byte < 248) text += base62.charAt(byte % 62);
      if (text.length === length) return text;
    }
  }
  throw new Error("the random source returns no usable bytes");
}

const maxRounds = 64;

/** Enough for every environment and a rotation of each; few enough to look through. */
export const maxLiveApiKeys = 20;

export const unusedAfterMs = 30 * dayMs;

/** Whether an active key has not been used for 30 days, so that its owner may want to end it. */
export function isUnused(
  key: { readonly createdAtMs: number; readonly lastUsedAtMs: number | null },
  nowMs: number,
): boolean {
  return nowMs - (key.lastUsedAtMs ?? key.createdAtMs) >= unusedAfterMs;
}
