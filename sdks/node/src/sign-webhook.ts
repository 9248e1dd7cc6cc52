import { base64url, textOf } from "./bytes.ts";
import { isRecord } from "./json.ts";
import { webhookKeys } from "./webhook-secret.ts";
import { bytesOf, type RawBody, webhookSignature } from "./webhooks.ts";

/** The content of an event, as an app's test writes it. */
export interface TestEvent {
  readonly type: string;
  /** Defaults to now. */
  readonly timestamp?: Date | string | undefined;
  readonly data: object;
}

export interface SignWebhookOptions {
  /** The secret that the app verifies with. */
  readonly secret: string;
  /** Defaults to a random ID. */
  readonly id?: string | undefined;
  /** In seconds since 1970. Defaults to now. */
  readonly timestamp?: number | undefined;
}

export interface SignedWebhook {
  readonly body: string;
  readonly headers: Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>>;
}

/** Signs a delivery as Countersign does, for tests of the app's own webhook route. */
export function signWebhook(
  event: RawBody | TestEvent,
  { secret, id, timestamp }: SignWebhookOptions,
): SignedWebhook {
  const bytes = bytesOf(event) ?? bytesOf(bodyOf(event));
  const keys = webhookKeys(secret);
  if (bytes === null) throw new TypeError("The event must be a raw body, or an object with type and data.");
  const deliveryId = id ?? `evt_${base64url(crypto.getRandomValues(new Uint8Array(12)))}`;
  const seconds = String(Math.floor(timestamp ?? Date.now() / 1_000));
  return {
    body: textOf(bytes),
    headers: {
      "webhook-id": deliveryId,
      "webhook-timestamp": seconds,
      "webhook-signature": keys.map((key) => webhookSignature(key, deliveryId, seconds, bytes)).join(" "),
    },
  };
}

/** Null if it is not an event. */
function bodyOf(event: unknown): string | null {
  if (!isRecord(event) || typeof event.type !== "string" || typeof event.data !== "object") return null;
  const { type, timestamp = new Date(), data } = event;
  return JSON.stringify({ type, timestamp, data });
}
