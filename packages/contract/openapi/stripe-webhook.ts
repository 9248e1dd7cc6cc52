import { type BodyLimit, sizeInWords } from "../api/body-limit.ts";
import type { ProblemCode } from "../problems/problems.ts";
import { problemResponses } from "./problems.ts";

/** Where Stripe sends its events. */
export const stripeWebhookPath = "/api/stripe/webhook";

/** Events have a few KiB. The largest are those of invoices with many lines. */
export const stripeEventLimit: Pick<BodyLimit, "bytes"> = { bytes: 512 * 1024 };

export const stripeWebhookCodes = [
  "invalid_stripe_signature",
  "malformed_json",
  "body_incomplete",
  "method_not_allowed",
  "body_too_slow",
  "body_too_large",
  "internal_error",
  "event_not_processed",
  "database_unavailable",
  "management_unavailable",
  "server_busy",
] as const satisfies readonly ProblemCode[];

/** Its OpenAPI description. */
export function stripeWebhookPaths(): Record<string, Record<string, object>> {
  return {
    [stripeWebhookPath]: {
      post: {
        operationId: "receiveStripeEvent",
        tags: ["Billing"],
        summary: "Receive an event from Stripe",
        description:
          "Only Stripe calls this. An event says whose subscription has changed, and the subscription is then fetched from Stripe, so events can arrive in any order and more than once. Does not exist on a server without payments.",
        security: [],
        parameters: [
          {
            name: "Stripe-Signature",
            in: "header",
            required: true,
            description: "The time and the signature of the body, not older than five minutes.",
            schema: { type: "string" },
          },
        ],
        requestBody: {
          description: `An event, at most ${sizeInWords(stripeEventLimit)}.`,
          required: true,
          content: { "application/json": { schema: { type: "object" } } },
        },
        responses: {
          200: {
            description: "The event was processed, now or before, or does not concern this server.",
            headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  required: ["received"],
                  properties: { received: { const: true } },
                },
              },
            },
          },
          ...problemResponses(stripeWebhookCodes),
        },
      },
    },
  };
}
