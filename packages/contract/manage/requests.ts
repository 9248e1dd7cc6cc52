import { maxDurationMs } from "@countersign/domain/requests/log-days";
import { requestOutcomes, validateStatuses } from "@countersign/domain/validate/status";
import { z } from "zod";
import { member, route } from "../api/route.ts";
import { flagQuery, id, page, pageQuery, time } from "../api/shapes.ts";

const group = "Requests";
const access = member("requests:view");

const outcome = z.enum(requestOutcomes).meta({
  description:
    "The `status` of the response to a validation. For a lookup `found` or `not_found`. `body_too_large` is a 413, `body_timeout` a 408.",
});

export const loggedRequest = z
  .object({
    id: id.meta({ description: "The request ID: the X-Request-Id header of the response." }),
    at: time,
    endpoint: z.enum(["validate", "lookup"]),
    outcome,
    product_id: id,
    product_name: z
      .string()
      .nullable()
      .meta({ description: "Also of a product that was deleted. Null if it is no longer stored." }),
    license_id: id.nullable().meta({ description: "Null if no license was found." }),
    license_key: z.string().nullable().meta({ description: "Null if the license no longer exists." }),
    customer_name: z.string().nullable(),
    ip: z
      .string()
      .meta({ description: "The IP address as the product counts it: usually the /64 network for IPv6." }),
    version: z.string().nullable(),
    device_id: z.string().nullable(),
    problem: z.string().nullable().meta({ description: "The X-Countersign-Problem header of the response." }),
    duration_ms: z
      .number()
      .nullable()
      .meta({ description: "From the arrival of the request to its response, on the server." }),
    count: z.int().meta({
      description:
        "How many requests this entry stands for. Above 1 only for requests over the daily limit, which are summed up by the minute, and for floods of sandbox requests.",
    }),
    sandbox: z.boolean(),
    facts: z
      .object({
        expires_at: time.nullable(),
        ip_count: z.int().nullable(),
        max_ips: z.int().nullable(),
        version: z.string().nullable(),
      })
      .nullable()
      .meta({ description: "What a refusal was based on at that time. Null for other requests." }),
  })
  .meta({ id: "LoggedRequest" });

/** All of them must match. */
const filters = {
  outcome: z
    .union([outcome, z.array(outcome).max(requestOutcomes.length)])
    .optional()
    .meta({ description: "Can be repeated." }),
  refused: flagQuery.optional().meta({ description: "Only requests that were refused, or that were not." }),
  endpoint: z.enum(["validate", "lookup"]).optional(),
  product_id: id.optional(),
  license_id: id.optional(),
  ip: z
    .string()
    .max(64)
    .optional()
    .meta({ description: "An IPv4 or IPv6 address, or an IPv6 /64 network. No other networks." }),
  version: z.string().max(256).optional(),
  device_id: z.string().max(256).optional(),
  problem: z.string().max(100).optional().meta({ description: "Part of the problem's text." }),
  min_duration_ms: z.coerce
    .number()
    .min(0)
    .max(maxDurationMs)
    .optional()
    .meta({ description: "Only requests that took at least this long." }),
  request_id: id.optional(),
  sandbox: flagQuery.optional().meta({ description: "Only sandbox requests, or none of them." }),
};

const range = {
  from: time.optional().meta({ description: "Only requests from this time on." }),
  to: time.optional().meta({ description: "Only requests before this time." }),
};

export const listRequests = route({
  id: "listRequests",
  method: "GET",
  path: "/organizations/{organization_id}/requests",
  summary: "List an organization's requests",
  description:
    "Every validate and lookup request with a valid API key, newest first. Entries appear within about two seconds. " +
    "Time, license, IP address and request ID are found by an index. The other filters are applied to requests from the newest on: " +
    "a page that could not be filled within the time limit says in `searched_until` how far back it looked, and `next_cursor` continues from there.",
  group,
  access,
  query: pageQuery.extend({ ...filters, ...range }),
  answer: page(loggedRequest).extend({
    searched_until: time.nullable().meta({
      description:
        "Everything after this time was searched. Null if the page is full, or if there is nothing more.",
    }),
    kept_since: time.meta({ description: "The start of the log, which has nothing older." }),
  }),
});

export const getRequest = route({
  id: "getRequest",
  method: "GET",
  path: "/organizations/{organization_id}/requests/{request_id}",
  summary: "Get a request by its request ID",
  group,
  access,
  answer: loggedRequest,
  problems: ["request_not_found"],
});

export const streamRequests = route({
  id: "streamRequests",
  method: "GET",
  path: "/organizations/{organization_id}/requests/live",
  summary: "Stream an organization's requests as they happen",
  description:
    "Server-sent events: `request` with a logged request as JSON. After an interruption, the `id` of the last event can be sent as " +
    "`Last-Event-ID` to continue without a gap; a few requests can then occur twice, with the same request ID. " +
    "`skipped` means that requests were left out because there were too many: `count` is their number, or null if it is not known. " +
    "The stream ends after ten minutes, and clients reconnect.",
  group,
  access,
  query: z.object(filters),
  answerType: "text/event-stream",
  answer: z.string(),
  problems: ["too_many_streams"],
});

export const exportRequests = route({
  id: "exportRequests",
  method: "GET",
  path: "/organizations/{organization_id}/requests/export",
  summary: "Export an organization's requests",
  description:
    "Streams the requests, newest first, with the filters of the list. In CSV, an apostrophe precedes text that a spreadsheet would run as a formula.",
  group,
  access,
  query: z.object({ format: z.enum(["csv", "jsonl"]).default("csv"), ...filters, ...range }),
  answerType: "text/csv",
  answer: z.string(),
  problems: ["too_many_exports"],
});

export const getLastValidation = route({
  id: "getLastValidation",
  method: "GET",
  path: "/products/{product_id}/last-validation",
  summary: "Get the result of a product's last validation",
  description:
    "Use this to test an integration: it considers only the last hour, and on a very busy server only the newest part of it. " +
    "Requests without a valid API key are not recorded, and those of the sandbox are not considered.",
  group,
  access,
  answer: z
    .object({
      request: z
        .object({
          id,
          at: time,
          status: z.enum(validateStatuses),
          license_id: id.nullable(),
          problem: z
            .string()
            .nullable()
            .meta({ description: "The X-Countersign-Problem header of the response." }),
        })
        .nullable(),
    })
    .meta({ id: "LastValidation" }),
});
