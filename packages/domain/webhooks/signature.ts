import { createHmac } from "node:crypto";

/** The data that Standard Webhooks 1.0 signs. */
interface SignedContent {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/**
 * The value of `webhook-signature`: one signature per secret, newest first, so that a receiver that knows only one of
 * them accepts it during a rotation.
 */
export function webhookSignature(content: SignedContent, keys: readonly Uint8Array[]): string {
  const signed = `${content.id}.${content.timestampSeconds}.${content.body}`;
  return keys.map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`).join(" ");
}

/** The same for all attempts and endpoints: a receiver that has seen it need not act again. */
export function webhookId(eventId: string): string {
  return `evt_${eventId.replaceAll("-", "")}`;
}

const prefix = "whsec_";
const minBytes = 24;
const maxBytes = 64;
const newBytes = 32;

/** A secret as shown and as stored (encrypted): `whsec_` and base64. */
export function generateWebhookSecret(randomBytes: (count: number) => Uint8Array): string {
  return prefix + Buffer.from(randomBytes(newBytes)).toString("base64");
}

/** The key in a secret; null if it is not one. */
export function webhookKey(secret: string): Uint8Array | null {
  if (!secret.startsWith(prefix)) return null;
  const text = secret.slice(prefix.length);
  const key = Buffer.from(text, "base64");
  // Buffer skips characters that are not base64, so only text that survives a round trip is accepted.
  if (key.toString("base64").replace(/=+$/, "") !== text.replace(/=+$/, "")) return null;
  return key.length >= minBytes && key.length <= maxBytes ? key : null;
}
