import { createHmac, timingSafeEqual } from "node:crypto";

interface SigningParts {
  readonly keyId: string;
  readonly secret: Uint8Array;
  readonly unixSeconds: number;
  /** The result of `parseNonce`. */
  readonly nonce: string;
  readonly productId: string;
  readonly licenseKeyAsSent: string;
}

/** The signature is the last member, so that it can be cut out of the exact bytes without parsing them. */
export function signBody(bodyWithNullSignature: string, parts: SigningParts): string {
  if (!bodyWithNullSignature.endsWith(nullMember))
    throw new Error("the body does not end with a null signature");
  if (!plain.test(parts.keyId)) throw new Error("the key id would break the signature's format");
  if (parts.nonce !== "" && parseNonce(parts.nonce) === "") throw new Error("the nonce was not parsed");
  const time = String(parts.unixSeconds);
  const mac = authenticate(parts.secret, time, parts.nonce, parts, bodyWithNullSignature);
  const signature = `"t=${time},n=${parts.nonce},k=${parts.keyId},v1=${mac}"}`;
  return bodyWithNullSignature.slice(0, -nullEnd.length) + signature;
}

export interface VerifyingParts {
  readonly secretFor: (keyId: string) => Uint8Array | null;
  readonly productId: string;
  readonly licenseKeyAsSent: string;
  readonly nonce: string;
  readonly nowUnixSeconds: number;
  readonly toleranceSeconds: number;
}

type Verification =
  | { ok: true }
  | { ok: false; reason: "missing" | "malformed" | "unknown_key" | "stale" | "nonce" | "mismatch" };

export function verifyBody(body: string, parts: VerifyingParts): Verification {
  const start = body.endsWith(nullMember) ? -1 : body.lastIndexOf(openMember);
  if (start < 0) return { ok: false, reason: "missing" };
  const valueStart = start + openMember.length - 1;
  const match = signatureAtEnd.exec(body.slice(valueStart));
  if (match === null) return { ok: false, reason: "malformed" };
  const [, time = "", nonce = "", keyId = "", claimed = ""] = match;

  const secret = parts.secretFor(keyId);
  if (secret === null) return { ok: false, reason: "unknown_key" };
  const ageSeconds = Math.abs(parts.nowUnixSeconds - Number(time));
  if (ageSeconds > parts.toleranceSeconds) return { ok: false, reason: "stale" };
  if (nonce !== parts.nonce) return { ok: false, reason: "nonce" };
  const mac = authenticate(secret, time, nonce, parts, body.slice(0, valueStart) + nullEnd);
  return timingSafeEqual(Buffer.from(mac), Buffer.from(claimed))
    ? { ok: true }
    : { ok: false, reason: "mismatch" };
}

/** A malformed nonce is ignored, not rejected: the nonce only adds protection for the caller who sent it. */
export function parseNonce(header: string | null): string {
  return header !== null && nonceShape.test(header) ? header : "";
}

const domain = "countersign.validate.v1";
const openMember = '"signature":"';
const nullMember = '"signature":null}';
const nullEnd = "null}";
const plain = /^[A-Za-z0-9_-]{1,64}$/;
const nonceShape = /^[A-Za-z0-9_-]{16,64}$/;
const signatureAtEnd =
  /^"t=(0|[1-9][0-9]{0,14}),n=([A-Za-z0-9_-]{0,64}),k=([A-Za-z0-9_-]{1,64}),v1=([0-9a-f]{64})"\}$/;

/** The purpose, product and license key keep a response from being replayed for another request. */
function authenticate(
  secret: Uint8Array,
  time: string,
  nonce: string,
  subject: { readonly productId: string; readonly licenseKeyAsSent: string },
  body: string,
): string {
  return hmacSha256(
    secret,
    `${domain}\n${time}\n${nonce}\n${subject.productId}\n${subject.licenseKeyAsSent}\n${body}`,
  );
}

/**
 * HMAC-SHA256 as hex. Signing is the most expensive single step of a response, so this uses the runtime's own hasher if
 * there is one: it copies the keyed state, at about half the cost of a fresh `createHmac`.
 */
export function hmacSha256(secret: Uint8Array, message: string): string {
  if (typeof Bun === "undefined") return createHmac("sha256", secret).update(message).digest("hex");
  let keyed = known.get(secret);
  if (keyed === undefined) {
    keyed = new Bun.CryptoHasher("sha256", secret);
    known.set(secret, keyed);
  }
  return keyed.copy().update(message).digest("hex");
}

const known = new WeakMap<Uint8Array, Bun.CryptoHasher>();
