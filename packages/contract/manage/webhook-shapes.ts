import { choosableTypes } from "@countersign/domain/events/types";
import { plainLine } from "@countersign/domain/text/plain-line";
import {
  headerNameProblem,
  headerValueProblem,
  maxHeaders,
} from "@countersign/domain/webhooks/custom-headers";
import { z } from "zod";
import { secret } from "../api/secrets.ts";
import { id, time, updatedAtGuard } from "../api/shapes.ts";
import { type FieldFault, fieldCode, fieldFault } from "../problems/problems.ts";

export const eventTypeList = z
  .array(z.enum(choosableTypes))
  .min(1)
  .max(100)
  .transform((types) => [...new Set(types)]);

const productList = z
  .array(id)
  .min(1)
  .max(200)
  .transform((ids) => [...new Set(ids)]);

const maxUrlCharacters = 2_000;

const url = z
  .string()
  .trim()
  .max(maxUrlCharacters)
  .transform((text, context) => {
    const parsed = /[\s\p{Cc}]/u.test(text) || !URL.canParse(text) ? null : new URL(text);
    if (parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === "") {
      parsed.hash = "";
      // The ASCII encoding can be longer than the input.
      if (parsed.href.length <= maxUrlCharacters) return parsed.href;
    }
    context.addIssue({ code: "custom", params: urlFault(parsed) });
    return z.NEVER;
  });

function urlFault(url: URL | null): FieldFault {
  if (url === null || !/^https?:$/.test(url.protocol)) return fieldFault("not_a_url");
  return url.username + url.password === ""
    ? fieldFault("too_long", { count: maxUrlCharacters })
    : fieldFault("url_with_credentials");
}

const description = z.string().trim().max(500).regex(plainLine, fieldCode("not_one_line"));

const format = z.enum(["standard", "discord", "slack"]).meta({
  description:
    "`standard` is JSON as defined by Standard Webhooks; `discord` and `slack` are messages for a channel.",
});

const headerValue = z.string().superRefine((value, context) => {
  const fault = headerValueProblem(value);
  if (fault !== null) context.addIssue({ code: "custom", params: fault });
});

/** Names in lower case: HTTP ignores case, and two that differ only in case would clash. */
function headers<V extends z.ZodType>(value: V) {
  return z
    .record(z.string(), value)
    .superRefine((record, context) => {
      const names = Object.keys(record);
      if (names.length > maxHeaders)
        context.addIssue({ code: "custom", params: fieldFault("too_many_headers", { max: maxHeaders }) });
      for (const name of names.slice(0, maxHeaders)) {
        const problem = headerNameProblem(name);
        if (problem !== null) context.addIssue({ code: "custom", path: [name], message: fieldCode(problem) });
      }
      if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
        context.addIssue({ code: "custom", message: fieldCode("duplicate_header") });
    })
    .transform((record) => new Map(Object.entries(record).map(([name, one]) => [name.toLowerCase(), one])));
}

const fields = {
  url: url.meta({ description: "An http or https URL without a user name." }),
  description,
  format,
  event_types: eventTypeList.nullable().meta({ description: "Null for all event types." }),
  product_ids: productList.nullable().meta({
    description: "Only events of these products. Null for all events, including those of no product.",
  }),
  auto_reenable: z.boolean().meta({
    description:
      "Whether the endpoint is retried automatically after it was disabled for failing for five days: every hour for a day, then every six hours, for 30 days. The first response from 200 to 299 enables it, and missed events are sent.",
  }),
};

export const newWebhook = z.strictObject({
  url: fields.url,
  description: fields.description.default(""),
  format: fields.format.default("standard"),
  event_types: fields.event_types.default(null),
  product_ids: fields.product_ids.default(null),
  auto_reenable: fields.auto_reenable.default(true),
  headers: headers(headerValue).default(new Map()).meta({
    description: "Custom headers for each request. They are stored encrypted; only their names are shown.",
  }),
});

export const webhookChanges = z.strictObject({
  url: fields.url.optional(),
  description: fields.description.optional(),
  format: fields.format.optional(),
  event_types: fields.event_types.optional(),
  product_ids: fields.product_ids.optional(),
  auto_reenable: fields.auto_reenable.optional(),
  headers: headers(headerValue.nullable())
    .optional()
    .meta({ description: "The headers to change. Null removes one; others stay unchanged." }),
  ...updatedAtGuard,
});

export const webhook = z
  .object({
    id,
    url: z.string().meta({
      description:
        "Discord and Slack URLs are shortened for users without the permission to manage webhooks: anyone who knows such a URL can post to the channel.",
    }),
    description: z.string(),
    format,
    event_types: z.array(z.string()).nullable(),
    product_ids: z.array(id).nullable(),
    header_names: z.array(z.string()),
    status: z.enum(["enabled", "disabled"]),
    disabled_reason: z.enum(["by_hand", "gone", "failing"]).nullable().meta({
      description:
        "`by_hand`: someone disabled it. `gone`: it responded with 410. `failing`: every attempt failed for five days.",
    }),
    disabled_at: time.nullable(),
    failing_since: time.nullable().meta({ description: "The time since which every attempt has failed." }),
    last_success_at: time.nullable(),
    last_failure_at: time.nullable(),
    auto_reenable: z.boolean(),
    next_probe_at: time
      .nullable()
      .meta({ description: "When the endpoint is retried automatically, if it was disabled for failing." }),
    old_secret_until: time
      .nullable()
      .meta({ description: "The time until which the old secret also signs, after a rotation." }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Webhook" });

const signingSecret = secret(
  "The whole secret. Only this response contains it.",
  "Create a new secret with rotate-secret.",
);

export const createdWebhook = webhook.extend({ secret: signingSecret }).meta({ id: "CreatedWebhook" });

export const rotation = z.strictObject({
  overlap_seconds: z.int().min(0).max(604_800).default(86_400).meta({
    description: "How long the old secret signs in addition to the new one. 0 to remove it immediately.",
  }),
});

export const rotatedSecret = z.object({ secret: signingSecret, old_secret_until: time.nullable() });

const span = z.object({
  delivered: z.int(),
  failed: z.int(),
  counts_are_exact: z.boolean().meta({
    description: "False if counting took too long: the actual numbers are at least as high.",
  }),
  attempts: z
    .int()
    .meta({ description: "The number of attempts in this period, including those of older deliveries." }),
  failed_attempts: z.int().meta({ description: "Attempts without a response from 200 to 299." }),
  success_rate: z
    .number()
    .nullable()
    .meta({ description: "The fraction of attempts that succeeded. Null if there were none." }),
  median_ms: z.int().nullable().meta({
    description: "The median duration of the newest 2,000 attempts, which `p95_ms` also refers to.",
  }),
  p95_ms: z.int().nullable(),
});

export const webhookStatistics = z
  .object({
    last_24_hours: span,
    last_7_days: span,
    pending: z.int().meta({ description: "The number of deliveries that are waiting to be sent." }),
    held: z
      .int()
      .meta({ description: "The number of deliveries that wait until the endpoint is enabled again." }),
  })
  .meta({ id: "WebhookStatistics" });
