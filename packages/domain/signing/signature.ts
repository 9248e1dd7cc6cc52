import { createHmac } from "node:crypto";

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
  const { keyId, secret, nonce, productId, licenseKeyAsSent } = parts;
  if (!plain.test(keyId)) throw new Error("the key id would break the signature's format");
  if (nonce !== "" && parseNonce(nonce) === "") throw new Error("the nonce was not parsed");
  const time = String(parts.unixSeconds);
  // The purpose, product and license key keep a response from being replayed for another request.
  const message = `${purpose}\n${time}\n${nonce}\n${productId}\n${licenseKeyAsSent}\n${bodyWithNullSignature}`;
  const mac = hmacSha256(secret, message);
  const signature = `"t=${time},n=${nonce},k=${keyId},v1=${mac}"}`;
  return bodyWithNullSignature.slice(0, -nullEnd.length) + signature;
}

/** A malformed nonce is ignored, not rejected: the nonce only adds protection for the caller who sent it. */
export function parseNonce(header: string | null): string {
  return header !== null && nonceShape.test(header) ? header : "";
}

const purpose = "countersign.validate.v1";
const nullMember = '"signature":null}';
const nullEnd = "null}";
const plain = /^[A-Za-z0-9_-]{1,64}$/;
const nonceShape = /^[A-Za-z0-9_-]{16,64}$/;

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
