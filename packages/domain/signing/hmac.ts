import { createHmac } from "node:crypto";

/**
 * HMAC-SHA256 as hex. A signature is the most expensive single step of an answer, so the runtime's own hasher is used
 * where there is one: it keeps the keyed state and copies it, at about half of what a fresh `createHmac` costs.
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
