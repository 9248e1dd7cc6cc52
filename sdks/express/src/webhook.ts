import type { WebhookEvent, WebhookOptions } from "@countersign/node";
import { errorFrom, maxWebhookBytes, readDelivery } from "@countersign/node/http";
import express, { type Request, type RequestHandler } from "express";

/**
 * Receives deliveries: verifies each, calls `onEvent` and responds 204 once it completes, so that failures are
 * delivered again. It reads the raw body itself, unless `request.rawBody` has it, as on Cloud Functions; mount it before
 * any `express.json()`.
 */
export function webhookHandler(
  options: WebhookOptions,
  onEvent: (event: WebhookEvent, request: Request) => unknown,
): RequestHandler[] {
  const readRaw = express.raw({ type: () => true, limit: maxWebhookBytes });
  return [
    (request, response, next) =>
      rawBodyOf(request) === undefined ? readRaw(request, response, next) : next(),
    async (request, response, next) => {
      try {
        const { event, refusal } = readDelivery(bodyOf(request), request.headers, options);
        if (refusal !== null) {
          response.status(refusal.status).json(refusal.body);
          return;
        }
        await onEvent(event, request);
        response.status(204).end();
      } catch (thrown) {
        next(errorFrom(thrown, "The webhook handler"));
      }
    },
  ];
}

/** Without a body, Express 4 sets an empty object and Express 5 nothing: neither was parsed too early. */
function bodyOf(request: Request): Uint8Array {
  const rawBody = rawBodyOf(request);
  if (rawBody !== undefined) return rawBody;
  const isEmpty =
    request.headers["transfer-encoding"] === undefined && !Number(request.headers["content-length"]);
  return isEmpty ? new Uint8Array() : request.body;
}

/** What a platform or another middleware kept of a body that it has already read. */
function rawBodyOf(request: Request): Uint8Array | undefined {
  return (request as { rawBody?: Uint8Array }).rawBody;
}
