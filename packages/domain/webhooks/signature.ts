import { createHmac } from "node:crypto";

/** What Standard Webhooks 1.0 asks to be signed. */
export interface SignedContent {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/**
 * The value of `webhook-signature`: one signature for each secret, the newest first, so that a receiver that knows
 * only one of them is content while secrets are exchanged.
 */
export function webhookSignature(content: SignedContent, keys: readonly Uint8Array[]): string {
  const signed = `${content.id}.${content.timestampSeconds}.${content.body}`;
  return keys.map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`).join(" ");
}

/** The same over all attempts and for all endpoints: a receiver that has seen it need not act again. */
export function webhookId(eventId: string): string {
  return `evt_${eventId.replaceAll("-", "")}`;
}
