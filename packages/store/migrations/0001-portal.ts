import type { Statement } from "./migration.ts";

/** The customer portal: who signs in, what customers can do themselves, and transfers. */
export const portal: readonly Statement[] = [
  // Someone who has signed in to the portal. Organizations never see this ID.
  `create table portal_people (
    id text primary key,
    locale text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  // What the person has proven to own. Only a proof writes or moves a row: what organizations write about their
  // customers is not here.
  `create table portal_identities (
    kind text not null check (kind in ('email', 'discord')),
    value text not null,
    id text not null unique,
    person_id text not null references portal_people (id),
    name text,
    verified_at bigint not null,
    primary key (kind, value)
  )`,
  "create index portal_identities_by_person on portal_identities (person_id)",
  `create table portal_sessions (
    id text primary key,
    person_id text not null references portal_people (id),
    token_hash text not null unique,
    signed_in_by text not null check (signed_in_by in ('email', 'discord')),
    ip text,
    user_agent text,
    created_at bigint not null,
    last_used_at bigint not null,
    expires_at bigint not null
  )`,
  "create index portal_sessions_by_person on portal_sessions (person_id, created_at)",
  "create index portal_sessions_by_expiry on portal_sessions (expires_at)",
  // A code and a link sent to an email address. An address without customers gets a row too, so that both take the
  // same time; the address itself is stored as a hash and encrypted.
  `create table portal_codes (
    id text primary key,
    email_hash text not null,
    sealed_email text not null,
    person_id text references portal_people (id),
    code_hash text not null,
    link_hash text not null unique,
    challenge_hash text not null,
    attempts integer not null default 0,
    other_attempts integer not null default 0,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  "create index portal_codes_by_email on portal_codes (email_hash, expires_at)",
  "create index portal_codes_by_expiry on portal_codes (expires_at)",
  "create index portal_codes_by_person on portal_codes (person_id) where person_id is not null",
  // What customers did themselves in the last 30 days, per license: their budgets are counted here.
  `create table portal_actions (
    id text primary key,
    license_id text not null references licenses (id),
    action text not null check (action in ('ip_removed', 'key_rotated')),
    count integer not null check (count >= 1),
    at bigint not null
  )`,
  "create index portal_actions_by_license on portal_actions (license_id, action, at)",
  "create index portal_actions_by_age on portal_actions (at)",
  // A transfer outlives its license, so it names the license and does not reference it.
  `create table transfers (
    id text primary key,
    organization_id text not null references organizations (id),
    product_id text not null references products (id),
    license_id text not null,
    license_key_hint text not null,
    state text not null check (state in ('pending', 'approved', 'rejected', 'cancelled')),
    from_customer_id text not null,
    from_email text,
    from_discord_id text,
    from_name text,
    to_email text,
    to_discord_id text,
    to_customer_id text,
    message text,
    review_reason text check (review_reason in ('product_setting', 'cooldown', 'target_blocked')),
    requested_by text,
    requested_at bigint not null,
    decided_at bigint,
    decided_by text check (decided_by in ('organization', 'customer', 'system')),
    decided_by_name text,
    reason text,
    updated_at bigint not null,
    check (to_email is null or to_discord_id is null),
    check (state <> 'pending' or to_email is not null or to_discord_id is not null)
  )`,
  "create unique index transfers_one_pending on transfers (license_id) where state = 'pending'",
  "create index transfers_pending on transfers (organization_id, id) where state = 'pending'",
  "create index transfers_by_organization on transfers (organization_id, id)",
  "create index transfers_by_state on transfers (organization_id, state, id)",
  "create index transfers_by_license on transfers (license_id, id)",
  "create index transfers_by_sender on transfers (from_customer_id)",
  "create index transfers_by_recipient on transfers (to_customer_id) where to_customer_id is not null",
  "create index transfers_by_to_email on transfers (organization_id, lower(to_email))",
  "create index transfers_by_to_discord_id on transfers (to_discord_id) where to_discord_id is not null",
  "create index transfers_by_requester on transfers (requested_by, id) where requested_by is not null",
];
