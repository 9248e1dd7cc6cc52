import { createHmac } from "node:crypto";

/** The secret in the URI that an authenticator app reads (RFC 6238, base32). */
export function totpSecret(uri: string): Uint8Array {
  const emails = new URL(uri).searchParams.get("secret") ?? "";
  let bits = "";
  for (const message of emails.replace(/=+$/, "")) {
    bits += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(message).toString(2).padStart(5, "0");
  }
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

/**
 * The six digits that the app shows, `steps` half-minutes from now. A code of the previous half-minute may be too old
 * when it arrives, and one of the next is valid for a minute, so tests that need two codes use the current and the
 * next.
 */
export function totpCode(secret: Uint8Array, steps = 0): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const at = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
