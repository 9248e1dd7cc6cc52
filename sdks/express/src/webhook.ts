import { verifyWebhook, WebhookError, type WebhookEvent, type WebhookOptions } from "@countersign/node";
import express, { type Request, type RequestHandler } from "express";

/** Larger than any event. */
const maxBytes = 256 * 1024;

/**
 * Receives deliveries: verifies each, calls `onEvent` and responds 204 once it completes, so that failures are
 * delivered again. It reads the raw body itself; mount it before any `express.json()`.
 */
export function webhookHandler(
  options: WebhookOptions,
  onEvent: (event: WebhookEvent, request: Request) => void | Promise<void>,
): RequestHandler[] {
  return [
    express.raw({ type: () => true, limit: maxBytes }),
    async (request, response, next) => {
      try {
        const event = verifyWebhook(bodyOf(request), request.headers, options);
        await onEvent(event, request);
        response.status(204).end();
      } catch (error) {
        if (!(error instanceof WebhookError)) return next(error);
        // A body that was parsed too early is a bug in the app, and should be visible as one.
        const status = error.reason === "parsed_body" ? 500 : 400;
        response.status(status).json({ error: error.reason, message: error.message });
      }
    },
  ];
}

/** Without a body, Express 4 sets an empty object and Express 5 nothing: neither was parsed too early. */
function bodyOf(request: Request): Uint8Array {
  const isEmpty =
    request.headers["transfer-encoding"] === undefined && !Number(request.headers["content-length"]);
  return isEmpty ? new Uint8Array() : request.body;
}
