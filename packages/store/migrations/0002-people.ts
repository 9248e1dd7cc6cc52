import { auditLogGuards } from "./audit-log-guards.ts";
import { licenseCounts } from "./license-counts.ts";
import { licenseSearch } from "./license-search.ts";
import type { Migration } from "./migration.ts";

/** Who works with an organization, what they can do, what they did, and the additional columns of licenses. */
export const people: Migration = {
  name: "0002-people",
  statements: [
    // The sign-in library writes its own columns, with times as ISO 8601 text.
    `create table users (
      id text primary key,
      name text not null,
      email text /* by bytes */ not null unique,
      email_verified integer not null default 0,
      image text,
      created_at text not null,
      updated_at text not null,
      two_factor_enabled integer not null default 0,
      is_platform_admin integer not null default 0,
      organization_allowance integer check (organization_allowance >= 0),
      suspended_at bigint,
      suspension_reason text,
      locale text not null default 'en',
      devices_since bigint not null default 0
    )`,
    "create index users_by_creation on users (created_at, id)",
    "alter table organizations add column owner_id text references users (id)",
    "alter table organizations add column delete_after bigint",
    "alter table organizations add column owner_joined_at bigint",
    "alter table organizations add column deleted_at bigint",
    "alter table organizations add column locale text not null default 'en'",
    "alter table organizations add column time_zone text not null default 'UTC'",
    "alter table organizations add column daily_emails_override bigint check (daily_emails_override >= 0)",
    "create index organizations_by_owner on organizations (owner_id)",
    "create index organizations_by_creation on organizations (created_at, id)",
    "create index organizations_to_delete on organizations (delete_after) where delete_after is not null",
    `create table roles (
      id text primary key,
      organization_id text not null references organizations (id),
      name text not null,
      permissions text not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    "create unique index roles_by_name on roles (organization_id, name)",
    "create index roles_by_organization on roles (organization_id, id)",
    `create table members (
      organization_id text not null references organizations (id),
      user_id text not null references users (id),
      role_id text not null references roles (id),
      created_at bigint not null,
      updated_at bigint not null default 0,
      primary key (organization_id, user_id)
    )`,
    "create index members_by_joining on members (organization_id, created_at, user_id)",
    "create index members_by_user on members (user_id)",
    "create index members_by_role on members (role_id)",
    `create table invitations (
      id text primary key,
      organization_id text not null references organizations (id),
      email text not null,
      role_id text not null references roles (id),
      token_hash text not null unique,
      invited_by text references users (id),
      created_at bigint not null,
      expires_at bigint not null,
      accepted_at bigint,
      accepted_by text references users (id),
      revoked_at bigint,
      mailed_at bigint not null
    )`,
    "create index invitations_by_organization on invitations (organization_id, id)",
    "create index invitations_by_email on invitations (email)",
    "create index invitations_by_role on invitations (role_id)",
    `create unique index invitations_one_open on invitations (organization_id, email)
      where accepted_at is null and revoked_at is null`,
    `create table access_tokens (
      id text primary key,
      hash text not null unique,
      shown_prefix text not null,
      name text not null,
      user_id text references users (id),
      organization_id text references organizations (id),
      permissions text not null,
      created_by text references users (id),
      created_at bigint not null,
      expires_at bigint,
      last_used_at bigint,
      revoked_at bigint
    )`,
    "create index access_tokens_by_user on access_tokens (user_id, id) where revoked_at is null",
    `create index access_tokens_by_organization on access_tokens (organization_id, id)
      where revoked_at is null`,
    `create table audit_log (
      id text primary key,
      at bigint not null,
      organization_id text,
      actor_kind text not null
        check (actor_kind in ('person', 'token', 'customer', 'platform_admin', 'command_line', 'system')),
      actor_id text,
      actor_name text not null,
      access_token_id text,
      action text not null,
      subject_kind text not null,
      subject_id text not null,
      subject_name text,
      before text,
      after text,
      ip text,
      request_id text
    ) /* clustered */`,
    "create index audit_log_by_time on audit_log (at, id)",
    "create index audit_log_by_organization on audit_log (organization_id, at, id)",
    "create index audit_log_by_action on audit_log (organization_id, action, at, id)",
    "create index audit_log_by_subject on audit_log (subject_id, at, id)",
    "create index audit_log_by_actor on audit_log (actor_id, at, id)",
    ...auditLogGuards,
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
      is_bulk integer not null default 0
    )`,
    "create index outbox_by_recipient on outbox (recipient, id)",
    "create index outbox_by_kind on outbox (kind, id)",
    // Locked while a platform admin is added or removed, so that the last one is never lost.
    "insert into platform_state (name, value) values ('platform_admins', '')",
    // An email that someone waits for is sent before those to customers.
    "create index outbox_to_send on outbox (is_bulk, next_attempt_at) where next_attempt_at is not null",
    "create index outbox_by_age on outbox (created_at)",
    "create index outbox_unsent on outbox (id) where sent_at is null",
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
    // Licenses: a term that starts on first use, and additional data of the organization.
    "alter table licenses add column first_used_at bigint",
    "alter table licenses add column term_ms bigint check (term_ms > 0)",
    "alter table licenses add column metadata text",
    "alter table licenses add column search_text text not null default ''",
    "create index licenses_by_product on licenses (product_id, created_at, id)",
    "create index licenses_by_organization on licenses (organization_id, created_at, id)",
    // The customer comes first, so that it also finds customers without licenses.
    "create index licenses_by_customer on licenses (customer_id, organization_id, id)",
    "create index licenses_by_change on licenses (organization_id, updated_at, id)",
    // Licenses that never expire, or have not started, sort after all others: the largest safe integer of JavaScript is
    // later than any date. The database computes it, and it is only used for sorting.
    {
      sqlite: `alter table licenses add column ends_at bigint
        generated always as (coalesce(expires_at, 9007199254740991)) virtual`,
      postgres: `alter table licenses add column ends_at bigint
        generated always as (coalesce(expires_at, 9007199254740991)) stored`,
    },
    "create index licenses_by_expiry on licenses (organization_id, ends_at, id)",
    "create index licenses_revoked on licenses (organization_id, id) where revoked_at is not null",
    `create table license_tags (
      organization_id text not null,
      tag text not null,
      license_id text not null references licenses (id),
      primary key (organization_id, tag, license_id)
    ) /* clustered */`,
    "create index license_tags_by_license on license_tags (license_id, tag)",
    "update licenses set search_text = lower(license_key)",
    ...licenseSearch,
    ...licenseCounts,
    "alter table products add column default_expires_in_days integer check (default_expires_in_days >= 1)",
    "alter table products add column default_ip_system_enabled integer not null default 1",
    "alter table products add column deliver_license_by_email integer not null default 0",
    "alter table products add column license_email_text text",
    "alter table products add column expiring_soon_email integer not null default 0",
    "alter table products add column locale text",
    "alter table ip_blocks add column created_by text",
    "create index ip_blocks_by_organization on ip_blocks (organization_id, id)",
    // Read page by page, and by the networks that contain an IP address.
    "alter table ip_blocks add column updated_at bigint not null default 0",
    "drop index ip_blocks_by_scope",
    "create index ip_blocks_by_scope on ip_blocks (tier, scope_id, organization_id, id)",
    "create index ip_blocks_by_cidr on ip_blocks (cidr, scope_id)",
    "create index license_ips_by_ip on license_ips (ip, license_id)",
    "alter table organization_customers add column search_text text /* by bytes */ not null default ''",
    `create index organization_customers_by_text
      on organization_customers (organization_id, search_text, customer_id)`,
    `create index organization_customers_by_creation
      on organization_customers (organization_id, created_at, customer_id)`,
    // An import of licenses: the job, the file itself until it is processed, and the undo list.
    `create table imports (
      id text primary key,
      organization_id text not null,
      product_id text not null,
      state text not null
        check (state in ('receiving', 'waiting', 'checking', 'writing', 'undoing', 'finished', 'failed', 'cancelled', 'undone')),
      file_name text,
      format text not null check (format in ('csv', 'jsonl')),
      dry_run integer not null,
      mode text not null check (mode in ('all_or_nothing', 'row_by_row')),
      on_existing text not null check (on_existing in ('fail', 'skip', 'update')),
      send_events integer not null default 0,
      time_zone text not null default 'UTC',
      column_map text not null,
      bytes_total bigint not null default 0,
      bytes_done bigint not null default 0,
      rows_total integer,
      rows_done integer not null default 0,
      created integer not null default 0,
      updated integer not null default 0,
      skipped integer not null default 0,
      failed integer not null default 0,
      error_count integer not null default 0,
      errors text not null default '[]',
      rejects_size integer not null default 0,
      failure text,
      actor text not null,
      created_by text not null,
      claimed_by text,
      claimed_until bigint not null,
      created_at bigint not null,
      updated_at bigint not null,
      finished_at bigint,
      cancel_requested_at bigint,
      undo text,
      keeps_until bigint
    )`,
    "create index imports_by_product on imports (product_id, created_at, id)",
    "create index imports_by_organization on imports (organization_id, id)",
    "create index imports_unfinished on imports (claimed_until) where finished_at is null",
    "create index imports_to_clear on imports (keeps_until) where keeps_until is not null",
    `create table import_pieces (
      import_id text not null references imports (id),
      number integer not null,
      body text not null,
      primary key (import_id, number)
    )`,
    `create table import_undo (
      import_id text not null references imports (id),
      license_id text not null,
      before text,
      written_at bigint not null default 0,
      primary key (import_id, license_id)
    ) /* clustered */`,
    // The rows of the file that were not imported, to be corrected and sent again.
    `create table import_rejects (
      import_id text not null references imports (id),
      number integer not null,
      cells text not null,
      errors text not null,
      primary key (import_id, number)
    ) /* clustered */`,
  ],
};
