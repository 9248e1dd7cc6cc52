import type { WebhookEvent } from "../webhook-events.ts";
import { verifyWebhook, WebhookError, type WebhookOptions } from "../webhooks.ts";

/** Larger than any event. */
export const maxWebhookBytes = 256 * 1024;

export type WebhookDelivery =
  | { readonly event: WebhookEvent; readonly refusal: null }
  | { readonly event: null; readonly refusal: WebhookRefusal };

/** How to respond to a request that is not a delivery from Countersign. */
export interface WebhookRefusal {
  readonly status: 400 | 413 | 500;
  readonly body: { readonly error: string; readonly message: string };
}

/** Verifies a request to a webhook endpoint. Throws only if the options are wrong. */
export function readDelivery(
  body: Parameters<typeof verifyWebhook>[0],
  headers: Parameters<typeof verifyWebhook>[1],
  options: WebhookOptions,
): WebhookDelivery {
  try {
    return { event: verifyWebhook(body, headers, options), refusal: null };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    // A body that was parsed too early is a bug in the app, and should be visible as one.
    const status = error.reason === "parsed_body" ? 500 : 400;
    return { event: null, refusal: { status, body: { error: error.reason, message: error.message } } };
  }
}
