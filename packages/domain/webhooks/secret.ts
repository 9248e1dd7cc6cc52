const prefix = "whsec_";
const fewestBytes = 24;
const mostBytes = 64;
const madeBytes = 32;

/** A secret as it is shown and as it is sealed: `whsec_` and base64. */
export function generateWebhookSecret(randomBytes: (count: number) => Uint8Array): string {
  return prefix + Buffer.from(randomBytes(madeBytes)).toString("base64");
}

/** The key in a secret; null when it is none. */
export function webhookKey(secret: string): Uint8Array | null {
  if (!secret.startsWith(prefix)) return null;
  const text = secret.slice(prefix.length);
  const key = Buffer.from(text, "base64");
  // Buffer skips what is not base64: only a text that comes out as it went in is one.
  if (key.toString("base64").replace(/=+$/, "") !== text.replace(/=+$/, "")) return null;
  return key.length >= fewestBytes && key.length <= mostBytes ? key : null;
}
