import type { EventType } from "@countersign/domain/events/types";
import type { DeliveryState } from "@countersign/domain/webhooks/delivery";
import type { Flag } from "./columns.ts";

/** Events, their deliveries, and every attempt. */
export interface EventsTables {
  events: EventRow;
  /** The transaction that inserts this row records the rejection, which is recorded once per hour. */
  recorded_refusals: {
    /** Hours since 1970. */
    hour: number;
    license_id: string;
    type: EventType;
    ip: string;
    /** Whether the IP address has no separate event and is counted in the hour's summary. */
    in_summary: Flag;
  };
  event_summaries: EventSummaryRow;
  recorded_expiries: RecordedExpiryRow;
  /** A license whose expiry was set within the warning period of its product. */
  unannounced_expiries: {
    license_id: string;
  };
  webhook_endpoints: StoredEndpointRow;
  webhook_secrets: WebhookSecretRow;
  deliveries: DeliveryRow;
  delivery_attempts: StoredAttemptRow;
}

/** An event, written in the transaction that made it true. */
export interface EventRow {
  id: string;
  organization_id: string;
  product_id: string | null;
  license_id: string | null;
  type: EventType;
  at: number;
  /** The data as JSON: it never changes. */
  data: string;
  undistributed: Distribution;
}

/** The events of a license in an hour beyond the individual ones: see `maxSingleEvents`. */
export interface EventSummaryRow {
  hour: number;
  license_id: string;
  type: EventType;
  organization_id: string;
  product_id: string;
  count: number;
  last_ip: string;
  first_at: number;
  last_at: number;
}

export interface RecordedExpiryRow {
  license_id: string;
  type: EventType;
  ends_at: number;
}

export interface WebhookEndpointRow {
  id: string;
  organization_id: string;
  url: string;
  description: string;
  format: "standard" | "discord" | "slack";
  /** A JSON list; null for all. */
  event_types: string | null;
  /** A JSON list; null for all. */
  product_ids: string | null;
  /** Custom headers as JSON, encrypted with the installation's data key. */
  sealed_headers: string | null;
  status: "enabled" | "disabled";
  disabled_reason: "by_hand" | "gone" | "failing" | null;
  disabled_at: number | null;
  /** Since when every attempt has failed; null after a success. */
  failing_since: number | null;
  last_success_at: number | null;
  last_failure_at: number | null;
  /** Whether it is retried automatically after it was disabled for failing. */
  auto_reenable: Flag;
  /** The number of these retries. */
  probes: number;
  /** When it is retried next; null for never. A claim moves this to its own end. */
  next_probe_at: number | null;
  created_at: number;
  updated_at: number;
  /** If set, it counts as disabled by hand, and its row stays only until all of its data is removed. */
  deleted_at: number | null;
}

/** As stored: the path and query of a URL often grant access. */
export type StoredEndpointRow = Omit<WebhookEndpointRow, "url"> & { sealed_url: string };

export interface WebhookSecretRow {
  id: string;
  endpoint_id: string;
  sealed_secret: string;
  created_at: number;
  /** When an old secret stops signing after a rotation. */
  expires_at: number | null;
}

/** The delivery of an event to one endpoint. */
export interface DeliveryRow {
  id: string;
  organization_id: string;
  endpoint_id: string;
  event_id: string;
  event_type: EventType;
  state: DeliveryState;
  attempts: number;
  /** Null if there will be no further attempt. */
  next_attempt_at: number | null;
  claimed_by: string | null;
  claimed_until: number | null;
  last_status: number | null;
  created_at: number;
  finished_at: number | null;
}

export interface DeliveryAttemptRow {
  id: string;
  delivery_id: string;
  endpoint_id: string;
  at: number;
  duration_ms: number;
  /** As JSON; custom headers by name only. */
  request_headers: string;
  /** Null if there was no response. */
  status: number | null;
  /** The first 4 KB of it. */
  response_body: string | null;
  /** Why it failed: a code with its parameters, as JSON. */
  failure: string | null;
}

/** As stored: many receivers repeat the URL in their response. */
export type StoredAttemptRow = Omit<DeliveryAttemptRow, "response_body"> & { sealed_response: string | null };

/**
 * Whether an event has to be distributed to webhook endpoints, by its stored value. It is a number, and null at the
 * end, because a partial index has to find the waiting events, some of which are written by validations.
 */
export const distribution = {
  waiting: 1,
  /** Written with the ID of its license alone: the license is added to its data before it is distributed. */
  waitingWithoutLicense: 2,
  /** Distributed, or not meant to be. */
  none: null,
} as const;

export type Distribution = (typeof distribution)[keyof typeof distribution];
