import type { Migration } from "./migration.ts";

export const core: Migration = {
  name: "0001-core",
  statements: [
    `create table organizations (
      id text primary key,
      name text not null,
      slug text /* by bytes */ not null unique,
      plan text not null check (plan in ('free', 'pro', 'enterprise')),
      daily_limit_override bigint check (daily_limit_override >= 0),
      signed_validation integer not null default 1,
      suspended_at bigint,
      suspension_reason text,
      billing_state text not null default 'active'
        check (billing_state in ('active', 'grace', 'suspended', 'cancelled')),
      ip_blocks_revision bigint not null default 0,
      customer_block_count integer not null default 0,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    `create table products (
      id text primary key,
      organization_id text not null references organizations (id),
      name text not null,
      status text not null default 'active' check (status in ('active', 'disabled', 'archived')),
      closed_for_sale integer not null default 0,
      auto_register_ip_on_validate integer not null default 1,
      auto_register_scope text not null default 'until_limit'
        check (auto_register_scope in ('until_limit', 'first_only')),
      track_ip_on_validate integer not null default 1,
      default_max_ips integer not null default 3 check (default_max_ips >= 1),
      expiry_enforcement integer not null default 1,
      signed_validation integer not null default 0,
      custom_response_enabled integer not null default 0,
      custom_response text,
      custom_response_on_refusal integer not null default 0,
      version_module_enabled integer not null default 0,
      version_enforcement text not null default 'enforce' check (version_enforcement in ('enforce', 'report')),
      versions_revision bigint not null default 0,
      ipv6_prefix integer not null default 64 check (ipv6_prefix in (64, 128)),
      merge_ips_after text,
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
    `create table product_versions (
      product_id text not null references products (id),
      version text not null,
      state text not null check (state in ('allowed', 'deprecated', 'latest', 'blocked')),
      created_at bigint not null,
      primary key (product_id, version)
    )`,
    `create unique index product_versions_one_latest on product_versions (product_id) where state = 'latest'`,
    // One identifier per customer: an organization that puts an email address and a Discord ID on one license must not
    // thereby merge two people. And one organization per customer: a shared ID would tell each organization that, and
    // since when, the other knows the person.
    `create table customers (
      id text primary key,
      organization_id text not null references organizations (id),
      email text,
      discord_id text,
      created_at bigint not null,
      check ((email is null) <> (discord_id is null))
    ) /* clustered */`,
    "create unique index customers_by_email on customers (email, organization_id) where email is not null",
    "create unique index customers_by_discord_id on customers (discord_id, organization_id) where discord_id is not null",
    `create table organization_customers (
      organization_id text not null references organizations (id),
      customer_id text not null references customers (id),
      email text,
      name text,
      discord_id text,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (customer_id, organization_id)
    ) /* clustered */`,
    `create table licenses (
      id text primary key,
      organization_id text not null references organizations (id),
      product_id text not null references products (id),
      customer_id text references customers (id),
      license_key text not null,
      license_key_match text not null,
      is_lifetime integer not null,
      expires_at bigint,
      ip_system_enabled integer not null,
      max_ips integer not null check (max_ips >= 1),
      ip_count integer not null default 0 check (ip_count >= 0),
      ips_updated_at bigint not null default 0,
      notes text,
      version_pin_mode text check (version_pin_mode in ('pinned', 'range')),
      version_pinned text,
      version_range_min text,
      version_range_max text,
      custom_override text,
      block_count integer not null default 0,
      revoked_at bigint,
      revoked_reason text,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    // The key comes first: it differs immediately from its neighbors, while the product is the same for thousands.
    "create unique index licenses_by_key on licenses (license_key_match, product_id)",
    `create table license_ips (
      license_id text not null references licenses (id),
      ip text not null,
      network text,
      registered_at bigint not null,
      primary key (license_id, ip)
    ) /* clustered */`,
    // Only single IPv6 addresses: no other registration pays for it.
    "create index license_ips_by_network on license_ips (license_id, network) where network is not null",
    `create table ip_blocks (
      id text primary key,
      tier text not null check (tier in ('platform', 'organization', 'customer', 'license')),
      organization_id text references organizations (id),
      scope_id text not null,
      cidr text not null,
      note text,
      expires_at bigint,
      created_at bigint not null
    )`,
    "create index ip_blocks_by_scope on ip_blocks (tier, scope_id, organization_id)",
    `create table daily_usage (
      product_id text not null references products (id),
      day integer not null,
      used bigint not null,
      last_granted bigint not null,
      daily_limit bigint,
      primary key (product_id, day)
    )`,
    `create table platform_state (
      name text primary key,
      value text not null
    )`,
    "insert into platform_state (name, value) values ('ip_blocks_revision', '0')",
  ],
};
