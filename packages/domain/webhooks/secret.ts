const prefix = "whsec_";
const fewestBytes = 24;
const mostBytes = 64;
const madeBytes = 32;

/** A secret as shown and as stored (encrypted): `whsec_` and base64. */
export function generateWebhookSecret(randomBytes: (count: number) => Uint8Array): string {
  return prefix + Buffer.from(randomBytes(madeBytes)).toString("base64");
}

/** The key in a secret; null if it is not one. */
export function webhookKey(secret: string): Uint8Array | null {
  if (!secret.startsWith(prefix)) return null;
  const text = secret.slice(prefix.length);
  const key = Buffer.from(text, "base64");
  // Buffer skips characters that are not base64, so only text that survives a round trip is accepted.
  if (key.toString("base64").replace(/=+$/, "") !== text.replace(/=+$/, "")) return null;
  return key.length >= fewestBytes && key.length <= mostBytes ? key : null;
}
