import type { WebhookEvent } from "../webhook-events.ts";
import type { WebhookOptions } from "../webhooks.ts";
import { jsonResponse, type WebRequest, type WebResponse } from "./license-gate.ts";
import { errorFrom } from "./thrown.ts";
import { maxWebhookBytes, readDelivery, type WebhookRefusal } from "./webhook-delivery.ts";

/** A standard `Request` with a body. */
export interface WebhookRequest extends WebRequest {
  readonly body?: { getReader(): BodyReader } | null | undefined;
}

interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}

const tooLarge: WebhookRefusal = {
  status: 413,
  body: { error: "too_large", message: `A delivery has at most ${maxWebhookBytes} bytes.` },
};

/**
 * A webhook endpoint as a function of the standard `Request`. It responds 204 once `onEvent` completes; if `onEvent`
 * fails, it rejects, so that the framework responds with an error and the event is delivered again.
 */
export function webhookRoute<Request extends WebhookRequest = WebhookRequest>(
  options: WebhookOptions,
  onEvent: (event: WebhookEvent, request: Request) => unknown,
): (request: Request) => Promise<WebResponse> {
  return async (request) => {
    const body = await bodyOf(request);
    const { event, refusal } =
      body === null
        ? { event: null, refusal: tooLarge }
        : readDelivery(body, webhookHeaders(request), options);
    if (refusal !== null) return jsonResponse(refusal);
    try {
      await onEvent(event, request);
    } catch (thrown) {
      throw errorFrom(thrown, "The webhook handler");
    }
    return new Response(null, { status: 204 });
  };
}

/** Null if it is larger than any delivery: an anonymous caller must not fill the memory. */
async function bodyOf({ body }: WebhookRequest): Promise<Uint8Array | null> {
  const bytes = new Uint8Array(maxWebhookBytes);
  let length = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    if (length + part.value.length > maxWebhookBytes) {
      await reader?.cancel();
      return null;
    }
    bytes.set(part.value, length);
    length += part.value.length;
  }
  return bytes.subarray(0, length);
}

function webhookHeaders({ headers }: WebhookRequest): Record<string, string | undefined> {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  return Object.fromEntries(names.map((name) => [name, headers.get(name) ?? undefined]));
}
