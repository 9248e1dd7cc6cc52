import type { Statement } from "./migration.ts";

/**
 * Users, and how they sign in. The sign-in library writes these tables, with times as ISO 8601 text and flags as 0 and 1
 * on both databases; only `known_devices` and `attempts` are written by Countersign itself.
 */
export const signIn: readonly Statement[] = [
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
  `create table sessions (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    token text not null unique,
    expires_at text not null,
    ip_address text,
    user_agent text,
    created_at text not null,
    updated_at text not null
  )`,
  "create index sessions_by_user on sessions (user_id, id)",
  "create index sessions_by_expiry on sessions (expires_at)",
  `create table accounts (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    provider_id text not null,
    account_id text not null,
    password text,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at text,
    refresh_token_expires_at text,
    scope text,
    created_at text not null,
    updated_at text not null
  )`,
  "create unique index accounts_by_provider on accounts (provider_id, account_id)",
  "create index accounts_by_user on accounts (user_id, id)",
  `create table verifications (
    id text primary key,
    identifier text not null,
    value text not null,
    expires_at text not null,
    created_at text not null,
    updated_at text not null
  )`,
  "create index verifications_by_identifier on verifications (identifier)",
  "create index verifications_by_expiry on verifications (expires_at)",
  `create table two_factors (
    id text primary key,
    user_id text not null unique references users (id) on delete cascade,
    secret text not null,
    backup_codes text not null,
    verified integer not null default 0,
    failed_verification_count integer not null default 0,
    locked_until text
  )`,
  `create table passkeys (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    name text,
    credential_id text not null unique,
    public_key text not null,
    counter bigint not null,
    device_type text not null,
    backed_up integer not null,
    transports text,
    aaguid text,
    created_at text
  )`,
  "create index passkeys_by_user on passkeys (user_id, id)",
  `create table known_devices (
    user_id text not null references users (id) on delete cascade,
    fingerprint text not null,
    last_used_at bigint not null,
    primary key (user_id, fingerprint)
  ) /* clustered */`,
  `create table attempts (
    name text primary key,
    ends_at bigint not null
  ) /* clustered */`,
  "create index attempts_by_end on attempts (ends_at)",
];
