import { dayMs } from "@countersign/domain/dates/lengths";
import type { Statement } from "./migration.ts";

/** Keeps a license that expires within the warning period of its product. `updated_at` is when it was written. */
const keepNew = `insert into unannounced_expiries (license_id)
  select new.id from products p
  where p.id = new.product_id and new.revoked_at is null and new.expires_at > new.updated_at
    and new.expires_at <= new.updated_at + p.expiring_soon_days * cast(${dayMs} as bigint)
  on conflict (license_id) do nothing;`;

const added = "create trigger licenses_expiry_added after insert on licenses";
const changed = "create trigger licenses_expiry_changed after update of expires_at, revoked_at on licenses";

/** Events, their deliveries, and every attempt. */
export const events: readonly Statement[] = [
  // Written in the transaction that made it true. `data` is the event's data as JSON, and never changes.
  `create table events (
    id text primary key,
    organization_id text not null,
    product_id text,
    license_id text,
    type text not null,
    at bigint not null,
    data text not null,
    undistributed integer check (undistributed in (1, 2))
  )`,
  "create index events_by_organization on events (organization_id, id)",
  "create index events_by_license on events (license_id, id) where license_id is not null",
  "create index events_by_age on events (at)",
  // distribution.ts names the values. The organization comes first, so that one with many events does not block the
  // others.
  "create index events_undistributed on events (organization_id, id) where undistributed is not null",
  // A product causes at most two of these events a day, unless its limit changes.
  `create index events_of_quota on events (at, id)
    where type in ('quota.warning', 'quota.exhausted')`,
  // A rejection is recorded once per license, IP address and hour, by the transaction that inserts this row. Beyond
  // the first few, IP addresses are summarized, and are stored here only to tell them apart.
  `create table recorded_refusals (
    hour integer not null,
    license_id text not null,
    type text not null,
    ip text not null,
    in_summary integer not null check (in_summary in (0, 1)),
    primary key (hour, license_id, type, ip)
  ) /* clustered */`,
  // How many more there were in an hour: one event summarizes them when it ends.
  `create table event_summaries (
    hour integer not null,
    license_id text not null,
    type text not null,
    organization_id text not null,
    product_id text not null,
    count bigint not null,
    last_ip text not null,
    first_at bigint not null,
    last_at bigint not null,
    primary key (hour, license_id, type)
  ) /* clustered */`,
  // An expiry is recorded once, however often it is checked, and again only if the license's expiry changes.
  `create table recorded_expiries (
    license_id text not null,
    type text not null,
    ends_at bigint not null,
    primary key (license_id, type, ends_at)
  ) /* clustered */`,
  // The check of expiries finds a license when its warning period begins. One that is created, renewed, reinstated or
  // used for the first time within that period would never be found, so the write itself keeps it for the next check.
  "create table unannounced_expiries (license_id text primary key)",
  {
    sqlite: `${added} when new.expires_at is not null begin ${keepNew} end`,
    postgres: `create function keep_unannounced_expiry() returns trigger language plpgsql as $$ begin
        ${keepNew}
        return null;
      end $$`,
  },
  {
    sqlite: `${changed}
        when new.expires_at is not null
          and (new.expires_at is not old.expires_at or new.revoked_at is not old.revoked_at)
        begin ${keepNew} end`,
    postgres: `${changed} for each row
        when (new.expires_at is not null
          and (new.expires_at is distinct from old.expires_at or new.revoked_at is distinct from old.revoked_at))
        execute function keep_unannounced_expiry()`,
  },
  {
    sqlite: null,
    postgres: `${added} for each row when (new.expires_at is not null)
        execute function keep_unannounced_expiry()`,
  },
  `create table webhook_endpoints (
    id text primary key,
    organization_id text not null,
    sealed_url text not null,
    description text not null default '',
    format text not null check (format in ('standard', 'discord', 'slack')),
    event_types text,
    product_ids text,
    sealed_headers text,
    status text not null check (status in ('enabled', 'disabled')),
    disabled_reason text check (disabled_reason in ('by_hand', 'gone', 'failing')),
    disabled_at bigint,
    failing_since bigint,
    last_success_at bigint,
    last_failure_at bigint,
    auto_reenable integer not null default 1 check (auto_reenable in (0, 1)),
    probes integer not null default 0,
    next_probe_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    deleted_at bigint
  )`,
  "create index webhook_endpoints_by_organization on webhook_endpoints (organization_id, created_at, id)",
  // Disabled for failing, and retried automatically.
  "create index webhook_endpoints_to_probe on webhook_endpoints (next_probe_at) where next_probe_at is not null",
  // Deleted for everyone; its data is removed step by step.
  "create index webhook_endpoints_deleted on webhook_endpoints (deleted_at) where deleted_at is not null",
  `create table webhook_secrets (
    id text primary key,
    endpoint_id text not null references webhook_endpoints (id),
    sealed_secret text not null,
    created_at bigint not null,
    expires_at bigint
  )`,
  "create index webhook_secrets_by_endpoint on webhook_secrets (endpoint_id, created_at)",
  // The delivery of an event to one endpoint.
  `create table deliveries (
    id text primary key,
    organization_id text not null,
    endpoint_id text not null,
    event_id text not null,
    event_type text not null,
    state text not null check (state in ('pending', 'delivered', 'failed', 'held')),
    attempts integer not null default 0,
    next_attempt_at bigint,
    claimed_by text,
    claimed_until bigint,
    last_status integer,
    created_at bigint not null,
    finished_at bigint
  )`,
  // The endpoint comes first, so that one that never responds does not block the others.
  "create index deliveries_due on deliveries (endpoint_id, next_attempt_at) where state = 'pending'",
  // Deliveries that wait for their endpoint to be enabled again.
  "create index deliveries_held on deliveries (endpoint_id, id) where state = 'held'",
  "create index deliveries_by_endpoint on deliveries (endpoint_id, id)",
  "create index deliveries_by_state on deliveries (endpoint_id, state, id)",
  "create index deliveries_by_event on deliveries (event_id)",
  `create table delivery_attempts (
    id text primary key,
    delivery_id text not null,
    endpoint_id text not null,
    at bigint not null,
    duration_ms integer not null,
    request_headers text not null,
    status integer,
    sealed_response text,
    failure text
  )`,
  "create index delivery_attempts_by_delivery on delivery_attempts (delivery_id, id)",
  // Includes the columns of the statistics, so that they are read from the index alone.
  "create index delivery_attempts_by_endpoint on delivery_attempts (endpoint_id, id, status, duration_ms)",
];
