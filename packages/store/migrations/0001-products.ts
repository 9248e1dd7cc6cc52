import type { Statement } from "./migration.ts";

/** Products with their keys, versions and downloads, and how much of their daily limit is used. */
export const products: readonly Statement[] = [
  `create table products (
    id text primary key,
    organization_id text not null references organizations (id),
    name text not null,
    locale text,
    status text not null default 'active' check (status in ('active', 'disabled', 'archived')),
    closed_for_sale integer not null default 0,
    auto_register_ip_on_validate integer not null default 1,
    auto_register_scope text not null default 'until_limit'
      check (auto_register_scope in ('until_limit', 'first_only')),
    track_ip_on_validate integer not null default 1,
    ipv6_prefix integer not null default 64 check (ipv6_prefix in (64, 128)),
    merge_ips_after text,
    expiry_enforcement integer not null default 1,
    signed_validation integer not null default 0,
    custom_response_enabled integer not null default 0,
    custom_response text,
    custom_response_on_refusal integer not null default 0,
    version_module_enabled integer not null default 0,
    version_enforcement text not null default 'enforce' check (version_enforcement in ('enforce', 'report')),
    versions_revision bigint not null default 0,
    default_max_ips integer not null default 3 check (default_max_ips >= 1),
    default_expires_in_days integer check (default_expires_in_days >= 1),
    default_ip_system_enabled integer not null default 1,
    deliver_license_by_email integer not null default 0,
    license_email_text text,
    expiring_soon_days integer not null default 7 check (expiring_soon_days >= 1),
    expiring_soon_email integer not null default 0,
    renewal_url text,
    portal_enabled integer not null default 1,
    portal_ip_removals_per_30_days integer not null default 0
      check (portal_ip_removals_per_30_days >= 0),
    portal_key_rotation integer not null default 0,
    transfers text not null default 'off' check (transfers in ('off', 'review', 'automatic')),
    transfer_cooldown_days integer not null default 30 check (transfer_cooldown_days >= 0),
    transfer_resets_ips integer not null default 1,
    transfer_rotates_key integer not null default 1,
    created_at bigint not null,
    updated_at bigint not null,
    deleted_at bigint
  )`,
  "create index products_by_organization on products (organization_id, created_at, id)",
  "create index products_merging_ips on products (id) where merge_ips_after is not null",
  `create table product_api_keys (
    public_id text primary key,
    product_id text not null references products (id),
    hash text not null,
    name text not null default '',
    created_at bigint not null,
    last_used_at bigint,
    unused_notified_at bigint,
    expires_at bigint
  )`,
  "create index product_api_keys_by_product on product_api_keys (product_id)",
  `create table product_signing_keys (
    id text primary key,
    product_id text not null references products (id),
    sealed_secret text not null,
    active_from bigint not null,
    created_at bigint not null
  )`,
  "create index product_signing_keys_by_product on product_signing_keys (product_id, active_from)",
  // Test API keys, which grant nothing and can be shown again.
  `create table product_sandbox_keys (
    product_id text primary key references products (id),
    public_id text not null unique,
    api_key text not null,
    created_at bigint not null
  )`,
  `create table product_versions (
    product_id text not null references products (id),
    version text not null,
    state text not null check (state in ('allowed', 'deprecated', 'latest', 'blocked')),
    created_at bigint not null,
    primary key (product_id, version)
  )`,
  `create unique index product_versions_one_latest on product_versions (product_id) where state = 'latest'`,
  `create table product_downloads (
    product_id text not null references products (id),
    position integer not null,
    id text not null unique,
    title text not null,
    url text not null,
    min_version text,
    checksum text,
    primary key (product_id, position)
  )`,
  `create table daily_usage (
    product_id text not null references products (id),
    day integer not null,
    used bigint not null,
    last_granted bigint not null,
    daily_limit bigint,
    primary key (product_id, day)
  )`,
  // Usage is kept for 13 months.
  "create index daily_usage_by_day on daily_usage (day)",
  // An email about a reached limit is written once per product, day and mark, by the transaction that inserts this
  // row. Beyond the first few of an organization and day, none is written.
  `create table quota_notices (
    organization_id text not null,
    day integer not null,
    product_id text not null,
    type text not null check (type in ('quota.warning', 'quota.exhausted')),
    primary key (organization_id, day, product_id, type)
  ) /* clustered */`,
  "create index quota_notices_by_day on quota_notices (day)",
  // After a limit was lowered: whether today's usage exceeds it is checked once everything counted under the old
  // limit has been written.
  `create table quota_checks (
    product_id text not null,
    type text not null check (type in ('quota.warning', 'quota.exhausted')),
    day integer not null,
    changed_at bigint not null,
    check_at bigint not null,
    primary key (product_id, type)
  ) /* clustered */`,
  "create index quota_checks_due on quota_checks (check_at)",
];
