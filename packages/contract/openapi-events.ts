import { eventExample } from "./event-examples.ts";
import { eventBody, eventSummaries } from "./events.ts";
import { Schemas } from "./openapi-schemas.ts";

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
          responses: { "2XX": { description: "It was taken in. Anything else is tried again." } },
        },
      },
    ]),
  );
  return { webhooks, components: { schemas: schemas.named } };
}

/** As Standard Webhooks 1.0 has them. */
const signedHeaders = (
  [
    [
      "webhook-id",
      "The same at every attempt, in every replay and at every endpoint: what was seen already.",
    ],
    ["webhook-timestamp", "When this attempt was made, in seconds since 1970."],
    [
      "webhook-signature",
      "v1, and HMAC-SHA256 over id, timestamp and body by the endpoint's secret; two while secrets are exchanged.",
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
