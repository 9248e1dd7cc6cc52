import type { Statement } from "./migration.ts";

/** Emails, answers to repeated requests, and what the operator of an installation manages. */
export const platform: readonly Statement[] = [
  `create table platform_state (
    name text primary key,
    value text not null
  )`,
  "insert into platform_state (name, value) values ('ip_blocks_revision', '0')",
  // Locked while a platform admin is added or removed, so that the last one is never lost.
  "insert into platform_state (name, value) values ('platform_admins', '')",
  `create table idempotency_keys (
    actor_id text not null,
    idempotency_key text not null,
    fingerprint text not null,
    status integer not null,
    sealed_answer text not null,
    created_at bigint not null,
    primary key (actor_id, idempotency_key)
  )`,
  "create index idempotency_keys_by_age on idempotency_keys (created_at)",
  `create table outbox (
    id text primary key,
    recipient text not null,
    subject text not null,
    sealed_body text,
    kind text not null,
    created_at bigint not null,
    sent_at bigint,
    failure text,
    attempts integer not null default 0,
    next_attempt_at bigint default 0,
    dedupe_key text unique,
    is_bulk integer not null default 0,
    organization_id text
  )`,
  "create index outbox_by_recipient on outbox (recipient, id)",
  "create index outbox_by_kind on outbox (kind, id)",
  // An email that someone waits for is sent before those to customers.
  "create index outbox_to_send on outbox (is_bulk, next_attempt_at) where next_attempt_at is not null",
  "create index outbox_by_age on outbox (created_at)",
  "create index outbox_unsent on outbox (id) where sent_at is null",
  // For erasing a customer. Emails that no organization has caused are not in it.
  "create index outbox_by_organization on outbox (organization_id, id) where organization_id is not null",
  // How many emails an organization has caused on one day, the last on which it caused any; and the same for all
  // organizations of one owner together, so that many organizations send no more than one.
  `create table daily_emails (
    sender_id text not null,
    recipients text not null check (recipients in ('customers', 'invited')),
    day integer not null,
    used bigint not null,
    primary key (sender_id, recipients)
  ) /* clustered */`,
  // Emails to customers beyond the limit. They are written when they can be sent, from the data at that time.
  `create table waiting_emails (
    id text primary key,
    organization_id text not null,
    kind text not null check (kind in ('license_delivery', 'license_expiring', 'license_received')),
    license_id text not null,
    ends_at bigint,
    created_at bigint not null,
    dedupe_key text not null unique
  )`,
  "create index waiting_emails_by_organization on waiting_emails (organization_id, id)",
  "create index waiting_emails_by_age on waiting_emails (created_at)",
  `create table announcements (
    id text primary key,
    level text not null check (level in ('info', 'warning')),
    message text not null,
    url text,
    starts_at bigint not null,
    ends_at bigint,
    created_by text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  "create index announcements_by_end on announcements (ends_at)",
  // A platform admin who looks at an organization, for the session or access token in session_id.
  `create table impersonations (
    id text primary key,
    session_id text not null,
    user_id text not null references users (id) on delete cascade,
    organization_id text not null references organizations (id),
    reason text not null,
    started_at bigint not null,
    expires_at bigint not null
  )`,
  "create unique index impersonations_by_session on impersonations (session_id, organization_id)",
  "create index impersonations_by_organization on impersonations (organization_id)",
  "create index impersonations_by_expiry on impersonations (expires_at)",
  // The last runs of periodic jobs, by node.
  `create table job_runs (
    node text not null,
    job text not null,
    every_ms bigint not null,
    started_at bigint not null,
    finished_at bigint,
    failed_at bigint,
    failure text,
    primary key (node, job)
  )`,
  "create index job_runs_by_start on job_runs (started_at)",
];
