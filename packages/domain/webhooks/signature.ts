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
