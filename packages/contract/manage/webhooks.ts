import { z } from "zod";
import { member, route } from "../api/route.ts";
import { page, pageQuery } from "../api/shapes.ts";
import {
  createdWebhook,
  newWebhook,
  rotatedSecret,
  rotation,
  webhook,
  webhookChanges,
  webhookStatistics,
} from "./webhook-shapes.ts";

const group = "Webhooks";
const all = "/organizations/{organization_id}/webhooks";
const one = `${all}/{endpoint_id}` as const;
const looking = member("webhooks:view", "webhooks:manage");
const managing = member("webhooks:manage");

export const listWebhooks = route({
  id: "listWebhooks",
  method: "GET",
  path: all,
  summary: "List the organization's webhook endpoints, oldest first",
  group,
  access: looking,
  query: pageQuery,
  answer: page(webhook),
});

export const createWebhook = route({
  id: "createWebhook",
  method: "POST",
  path: all,
  summary: "Create a webhook endpoint",
  description:
    "New events are sent to its URL, signed according to Standard Webhooks 1.0. Only this response contains the secret.",
  group,
  access: managing,
  body: newWebhook,
  answer: createdWebhook,
  problems: ["organization_not_found", "webhook_limit_reached", "webhook_plan_limit_reached"],
});

export const getWebhook = route({
  id: "getWebhook",
  method: "GET",
  path: one,
  summary: "Get a webhook endpoint",
  group,
  access: looking,
  answer: webhook,
  problems: ["webhook_not_found"],
});

export const updateWebhook = route({
  id: "updateWebhook",
  method: "PATCH",
  path: one,
  summary: "Update a webhook endpoint",
  description: "Pending deliveries go to the new URL, in the new format.",
  group,
  access: managing,
  body: webhookChanges,
  answer: webhook,
  problems: ["webhook_not_found"],
});

export const deleteWebhook = route({
  id: "deleteWebhook",
  method: "DELETE",
  path: one,
  summary: "Delete a webhook endpoint",
  description: "Also deletes its deliveries. Nothing more is sent to it.",
  group,
  access: managing,
  problems: ["webhook_not_found"],
});

export const disableWebhook = route({
  id: "disableWebhook",
  method: "POST",
  path: `${one}/disable`,
  summary: "Disable a webhook endpoint",
  description:
    "Nothing is sent while the endpoint is disabled. Pending deliveries are held; events in the meantime are not sent later.",
  group,
  access: managing,
  answer: webhook,
  status: 200,
  problems: ["webhook_not_found"],
});

export const enableWebhook = route({
  id: "enableWebhook",
  method: "POST",
  path: `${one}/enable`,
  summary: "Enable a webhook endpoint",
  description:
    "Sends held deliveries, including all events since the endpoint was disabled for failing or for responding with 410.",
  group,
  access: managing,
  answer: webhook,
  status: 200,
  problems: ["webhook_not_found"],
});

export const rotateWebhookSecret = route({
  id: "rotateWebhookSecret",
  method: "POST",
  path: `${one}/rotate-secret`,
  summary: "Rotate a webhook endpoint's secret",
  description:
    "Until the overlap ends, every request has a signature by the new secret and one by the old. Secrets of earlier rotations stop signing immediately.",
  group,
  access: managing,
  body: rotation,
  answer: rotatedSecret,
  status: 200,
  problems: ["webhook_not_found"],
});

export const getWebhookStatistics = route({
  id: "getWebhookStatistics",
  method: "GET",
  path: `${one}/statistics`,
  summary: "Get a webhook endpoint's statistics",
  group,
  access: looking,
  query: z.object({}),
  answer: webhookStatistics,
  problems: ["webhook_not_found"],
});
