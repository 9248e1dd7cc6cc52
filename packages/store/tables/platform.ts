import type { Flag, WithDefaults } from "./columns.ts";

/** Emails, answers to repeated requests, and what the operator of an installation manages. */
export interface PlatformTables {
  platform_state: {
    name: string;
    value: string;
  };
  idempotency_keys: IdempotencyKeyRow;
  outbox: WithDefaults<StoredEmailRow, "attempts" | "next_attempt_at" | "is_bulk" | "organization_id">;
  daily_emails: DailyEmailsRow;
  waiting_emails: WaitingEmailRow;
  announcements: AnnouncementRow;
  impersonations: ImpersonationRow;
  job_runs: JobRunRow;
}

export interface IdempotencyKeyRow {
  actor_id: string;
  idempotency_key: string;
  fingerprint: string;
  /** The status of the response; 0 while there is none, and `sealed_answer` holds the progress of the request. */
  status: number;
  /** Encrypted, because a response can contain a secret that is shown once. */
  sealed_answer: string;
  created_at: number;
}

/** Emails that were sent, or are stored here because there is no mail server. */
export interface OutboxRow {
  id: string;
  recipient: string;
  subject: string;
  body_text: string;
  body_html: string | null;
  /** Where replies go, if not to the sender. */
  reply_to: string | null;
  kind: string;
  created_at: number;
  sent_at: number | null;
  /** Why the last attempt failed: a code with its parameters, as JSON. */
  failure: string | null;
  attempts: number;
  /** Null if there will be no further attempt: it was sent, or failed. During an attempt, when another may start. */
  next_attempt_at: number | null;
  /** A hash of what it reports, if that is to be reported once: no two emails have the same. */
  dedupe_key: string | null;
  /** A bulk email to a customer: all others are sent first. */
  is_bulk: Flag;
  /** Of an email about an organization's customers: that organization. Otherwise null. */
  organization_id: string | null;
}

/**
 * As stored: the contents, links and license keys included, are encrypted together, and deleted once the email is sent.
 */
export type StoredEmailRow = Omit<OutboxRow, "body_text" | "body_html" | "reply_to"> & {
  sealed_body: string | null;
};

/** How many emails an organization has caused on a day. One row per kind of recipient. */
export interface DailyEmailsRow {
  /** An organization, or its owner. */
  sender_id: string;
  recipients: "customers" | "invited";
  day: number;
  used: number;
}

/** An email to a customer beyond the organization's daily limit. It is written when it can be sent. */
export interface WaitingEmailRow {
  id: string;
  organization_id: string;
  kind: "license_delivery" | "license_expiring" | "license_received";
  license_id: string;
  /** Which expiry of the license it is about. */
  ends_at: number | null;
  created_at: number;
  /** The deduplication key that the email will have. */
  dedupe_key: string;
}

/** A message of the operator to all dashboards. */
export interface AnnouncementRow {
  id: string;
  level: "info" | "warning";
  message: string;
  url: string | null;
  starts_at: number;
  ends_at: number | null;
  /** The name of the platform admin. */
  created_by: string | null;
  created_at: number;
  updated_at: number;
}

/** A platform admin who looks at an organization, read-only and for a limited time. */
export interface ImpersonationRow {
  id: string;
  /** The session, or the access token in its place. */
  session_id: string;
  user_id: string;
  organization_id: string;
  reason: string;
  started_at: number;
  expires_at: number;
}

/** The last run of a periodic job on one node. */
export interface JobRunRow {
  node: string;
  job: string;
  every_ms: number;
  started_at: number;
  finished_at: number | null;
  /** When it last failed, and why; null for never. */
  failed_at: number | null;
  failure: string | null;
}
