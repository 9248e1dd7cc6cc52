import { z } from "zod";
import { member, route } from "./route.ts";
import { page, pageQuery } from "./shapes.ts";
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
const one = `${all}/{endpoint_id}`;
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
    "What happens from now on is sent to its url, signed as Standard Webhooks 1.0 has it. The secret is in this answer alone.",
  group,
  access: managing,
  body: newWebhook,
  answer: createdWebhook,
  problems: ["organization_not_found", "webhook_limit_reached"],
});

export const getWebhook = route({
  id: "getWebhook",
  method: "GET",
  path: one,
  summary: "Read a webhook endpoint",
  group,
  access: looking,
  answer: webhook,
  problems: ["webhook_not_found"],
});

export const updateWebhook = route({
  id: "updateWebhook",
  method: "PATCH",
  path: one,
  summary: "Change a webhook endpoint",
  description: "What is already on its way goes to the new url, in the new format.",
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
  description: "Nothing more is sent to it, and the log of its deliveries goes too.",
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
    "Nothing is sent while it is disabled. What happens meanwhile is not kept for it; what was on its way already is.",
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
    "What it missed since it was disabled because it failed, or answered 410, is sent now. An endpoint that is enabled stays so.",
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
  summary: "Give a webhook endpoint a new secret",
  description:
    "Until the overlap ends every request carries a signature by the new secret and one by the old. Older ones stop at once.",
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
  summary: "Read how well a webhook endpoint answers",
  group,
  access: looking,
  query: z.object({}),
  answer: webhookStatistics,
  problems: ["webhook_not_found"],
});
