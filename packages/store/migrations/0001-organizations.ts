import { minAuditLogDays } from "@countersign/domain/audit-log/audit-log-days";
import type { Statement } from "./migration.ts";

/** Organizations, and who can do what in them. */
export const organizations: readonly Statement[] = [
  // The overrides are limits that the operator set for one organization, instead of its plan's. An organization that
  // leaves a plan with the version module keeps being checked, so that no refused version is granted unasked.
  `create table organizations (
    id text primary key,
    name text not null,
    slug text /* by bytes */ not null unique,
    owner_id text references users (id),
    owner_joined_at bigint,
    locale text not null default 'en',
    time_zone text not null default 'UTC',
    plan text not null check (plan in ('free', 'pro', 'enterprise')),
    plan_ends_at bigint,
    billing_state text not null default 'active'
      check (billing_state in ('active', 'grace', 'suspended', 'cancelled')),
    grace_ends_at bigint,
    suspended_at bigint,
    suspension_reason text,
    signed_validation integer not null default 1,
    had_version_module integer not null default 0,
    version_checks_on_downgrade text not null default 'enforce'
      check (version_checks_on_downgrade in ('enforce', 'report')),
    ip_blocks_revision bigint not null default 0,
    customer_block_count integer not null default 0,
    daily_limit_override bigint check (daily_limit_override >= 0),
    daily_emails_override bigint check (daily_emails_override >= 0),
    max_products_override bigint check (max_products_override >= 0),
    max_licenses_override bigint check (max_licenses_override >= 0),
    max_members_override bigint check (max_members_override >= 0),
    max_webhooks_override bigint check (max_webhooks_override >= 0),
    request_log_days_override integer check (request_log_days_override >= 1),
    audit_log_days_override integer check (audit_log_days_override >= ${minAuditLogDays}),
    created_at bigint not null,
    updated_at bigint not null,
    delete_after bigint,
    deleted_at bigint
  )`,
  "create index organizations_by_owner on organizations (owner_id)",
  "create index organizations_by_creation on organizations (created_at, id)",
  "create index organizations_to_delete on organizations (delete_after) where delete_after is not null",
  "create index organizations_by_plan on organizations (plan, id)",
  `create index organizations_with_log_days on organizations (request_log_days_override)
    where request_log_days_override is not null`,
  `create index organizations_with_audit_log_days on organizations (audit_log_days_override)
    where audit_log_days_override is not null`,
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
  `create table organization_branding (
    organization_id text primary key references organizations (id),
    display_name text,
    logo_type text check (logo_type in ('image/png', 'image/jpeg', 'image/webp', 'image/svg+xml')),
    logo text,
    logo_hash text,
    accent_color text,
    support_email text,
    support_url text,
    links text not null default '[]',
    locale text,
    updated_at bigint not null
  )`,
  "create index organization_branding_by_logo on organization_branding (logo_hash) where logo_hash is not null",
];
