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
          requestBody: {
            required: true,
            content: { "application/json": { schema: schemas.of(eventBody(type)) } },
          },
          responses: { "2XX": { description: "It was taken in. Anything else is tried again." } },
        },
      },
    ]),
  );
  return { webhooks, components: { schemas: schemas.named } };
}

/** license.ip_blocked: onLicenseIpBlocked */
function operationId(type: string): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `on${words.join("")}`;
}
