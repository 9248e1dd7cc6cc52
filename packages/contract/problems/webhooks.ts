import { problem } from "./declare.ts";

export const webhooksProblems = {
  webhook_not_found: problem(404, "There is no such webhook, or you cannot see it."),
  delivery_not_found: problem(404, "There is no such delivery, or you cannot see it."),
  webhook_disabled: problem(409, "The webhook is disabled, so nothing is sent to it. Enable it first."),
  webhook_limit_reached: problem(
    403,
    "The organization has {limit} webhooks. Delete one that is not used.",
    "The operator of the server sets the limit.",
  ),
  delivery_finished: problem(409, "The delivery is no longer waiting. Replay it to send the event again."),
  delivery_in_progress: problem(409, "The delivery is being sent right now. Wait for the result."),
  event_pending: problem(409, "The event is already being delivered to this webhook. Wait for the result."),
  event_pruned: problem(409, "The event is no longer stored, so it cannot be sent again."),
} as const;

export const webhooksFieldErrors = {
  not_a_url: "must be a URL that starts with https:// or http://, such as https://example.com/countersign",
  url_with_credentials: "must not contain a user name or password. Use a custom header instead",
  url_without_host: "must contain a host",
  invalid_port: "must have a port from 1 to 65535, or none",
  url_not_public: "must lead to a public IP address. The operator of the server can allow private ones",
  invalid_header_name:
    "must be a header name: a letter, then up to 63 letters, digits, hyphens and underscores",
  reserved_header_name: "is a header that cannot be customized",
  invalid_header_value: "must be visible ASCII characters, without a space at either end",
  too_many_headers: "must have at most {max} headers",
  duplicate_header: "must name each header once. Upper and lower case are the same",
  unknown_product: "must be a product of this organization",
  only_with_oldest: "can be set only with order=oldest",
  not_an_event_id: "must be an event ID, which starts with evt_",
} as const;
