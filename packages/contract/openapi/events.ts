import { eventExample } from "../events/event-examples.ts";
import { eventBody, eventSummaries } from "../events/events.ts";
import { Schemas } from "./schemas.ts";

/** What endpoints receive, as the `webhooks` of OpenAPI 3.1. */
export function eventWebhooks() {
  const schemas = new Schemas();
  const webhooks = Object.fromEntries(
    eventSummaries.map(({ type, summary }) => [
      type,
      {
        post: {
          operationId: operationId(type),
          tags: ["Events"],
          summary,
          parameters: signedHeaders,
          requestBody: {
            required: true,
            content: {
              "application/json": { schema: schemas.of(eventBody(type)), example: eventExample(type) },
            },
          },
          responses: { "2XX": { description: "The event was accepted. Any other response is retried." } },
        },
      },
    ]),
  );
  return { webhooks, components: { schemas: schemas.named } };
}

/** As defined by Standard Webhooks 1.0. */
const signedHeaders = (
  [
    [
      "webhook-id",
      "Identifies the event. The same for every attempt, replay and endpoint, so that you can detect duplicates.",
    ],
    ["webhook-timestamp", "When this attempt was sent, in Unix seconds."],
    [
      "webhook-signature",
      "v1, and the HMAC-SHA256 of ID, timestamp and body with the endpoint's secret. Two signatures during a rotation.",
    ],
  ] as const
).map(([name, description]) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
}));

/** license.ip_blocked: onLicenseIpBlocked */
function operationId(type: string): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `on${words.join("")}`;
}
