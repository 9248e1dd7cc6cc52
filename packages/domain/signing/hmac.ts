import { createHmac } from "node:crypto";

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
