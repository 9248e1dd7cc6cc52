import { licenseCounts } from "./license-counts.ts";
import type { Statement } from "./migration.ts";

/**
 * Parts of keys and names are found through a trigram index of `licenses.search_text`. On SQLite it is in a separate
 * file and updated asynchronously: triggers record here which licenses to index again, by row number. PostgreSQL
 * maintains it with two of its own extensions; without the permission to use them, searches scan page by page and take
 * longer.
 */
const licenseSearch: readonly Statement[] = [
  {
    sqlite: "create table license_search_changes (number integer primary key, license_row integer not null)",
    // Leaves room in each page for the new version of a row: registering an IP address then touches no index.
    postgres: "alter table licenses set (fillfactor = 85)",
  },
  {
    sqlite: `create trigger licenses_search_added after insert on licenses begin
      insert into license_search_changes (license_row) values (new.rowid);
    end`,
    postgres: `do $$ begin
      create extension if not exists pg_trgm;
      create extension if not exists btree_gin;
      create index licenses_by_text on licenses using gin (organization_id, search_text gin_trgm_ops);
    exception when others then
      raise warning 'Licenses are searched without an index: %', sqlerrm;
    end $$`,
  },
  {
    sqlite: `create trigger licenses_search_changed after update of search_text on licenses
      when old.search_text <> new.search_text begin
      insert into license_search_changes (license_row) values (new.rowid);
    end`,
    postgres: null,
  },
  {
    sqlite: `create trigger licenses_search_removed after delete on licenses begin
      insert into license_search_changes (license_row) values (old.rowid);
    end`,
    postgres: null,
  },
];

/**
 * Which customers had a license before its present one, and until when: what was recorded in that time is about them. A
 * trigger writes it, so that nothing that changes the customer of a license can forget it. The rows stay when the license
 * or the customer is deleted. They have the time of the database, which is at most a moment later than what is recorded
 * of the same change.
 */
const formerHolders: readonly Statement[] = [
  `create table former_holders (
    license_id text not null,
    until_at bigint not null,
    since_at bigint not null,
    customer_id text not null,
    organization_id text not null references organizations (id),
    primary key (license_id, until_at)
  ) /* clustered */`,
  "create index former_holders_by_customer on former_holders (customer_id, license_id, until_at)",
  "create index former_holders_by_organization on former_holders (organization_id)",
  {
    sqlite: `create trigger licenses_had_holder after update of customer_id on licenses when ${isLeft("is not")} begin
      ${noteHolder("cast(round(unixepoch('subsec') * 1000) as integer)", "max")};
    end`,
    postgres: `create function note_former_holder() returns trigger language plpgsql as $$ begin
      ${noteHolder("cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)", "greatest")};
      return null;
    end $$`,
  },
  {
    sqlite: null,
    postgres: `create trigger licenses_had_holder after update of customer_id on licenses for each row
      when (${isLeft("is distinct from")}) execute function note_former_holder()`,
  },
];

function isLeft(differs: string): string {
  return `old.customer_id is not null and old.customer_id ${differs} new.customer_id`;
}

/** Times of one license are different, and in the order of the changes. */
function noteHolder(now: string, later: "max" | "greatest"): string {
  return `insert into former_holders (license_id, until_at, since_at, customer_id, organization_id)
    select old.id, ${later}(${now}, coalesce(max(until_at) + 1, 0)), coalesce(max(until_at), 0),
      old.customer_id, old.organization_id
    from former_holders where license_id = old.id`;
}

/** Customers, their licenses, and the IP addresses that these are used from or blocked for. */
export const licenses: readonly Statement[] = [
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
    search_text text /* by bytes */ not null default '',
    primary key (customer_id, organization_id)
  ) /* clustered */`,
  `create index organization_customers_by_text
    on organization_customers (organization_id, search_text, customer_id)`,
  `create index organization_customers_by_creation
    on organization_customers (organization_id, created_at, customer_id)`,
  `create table licenses (
    id text primary key,
    organization_id text not null references organizations (id),
    product_id text not null references products (id),
    customer_id text references customers (id),
    license_key text not null,
    license_key_match text not null,
    is_lifetime integer not null,
    expires_at bigint,
    first_used_at bigint,
    term_ms bigint check (term_ms > 0),
    ip_system_enabled integer not null,
    max_ips integer not null check (max_ips >= 1),
    ip_count integer not null default 0 check (ip_count >= 0),
    ips_updated_at bigint not null default 0,
    notes text,
    metadata text,
    search_text text not null default '',
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
  `create index licenses_by_revocation on licenses (organization_id, revoked_at, product_id)
    where revoked_at is not null`,
  ...licenseSearch,
  ...licenseCounts,
  ...formerHolders,
  `create table license_ips (
    license_id text not null references licenses (id),
    ip text not null,
    network text,
    registered_at bigint not null,
    primary key (license_id, ip)
  ) /* clustered */`,
  // Only single IPv6 addresses: no other registration pays for it.
  "create index license_ips_by_network on license_ips (license_id, network) where network is not null",
  "create index license_ips_by_ip on license_ips (ip, license_id)",
  `create table license_tags (
    organization_id text not null,
    tag text not null,
    license_id text not null references licenses (id),
    primary key (organization_id, tag, license_id)
  ) /* clustered */`,
  "create index license_tags_by_license on license_tags (license_id, tag)",
  `create table ip_blocks (
    id text primary key,
    tier text not null check (tier in ('platform', 'organization', 'customer', 'license')),
    organization_id text references organizations (id),
    scope_id text not null,
    cidr text not null,
    note text,
    expires_at bigint,
    created_at bigint not null,
    created_by text,
    updated_at bigint not null default 0
  )`,
  // Read page by page, and by the networks that contain an IP address.
  "create index ip_blocks_by_organization on ip_blocks (organization_id, id)",
  "create index ip_blocks_by_scope on ip_blocks (tier, scope_id, organization_id, id)",
  "create index ip_blocks_by_cidr on ip_blocks (cidr, scope_id)",
  // A customer who is being erased, which takes several transactions. Both tables are empty again at the end. Until then
  // they tell what is about the customer: IDs that they had before, texts to look for, and licenses, each for the time in
  // which it was theirs.
  `create table customer_erasures (
    customer_id text primary key references customers (id),
    organization_id text not null references organizations (id),
    former_ids text not null default '',
    sealed_terms text not null,
    requested_at bigint not null
  )`,
  "create index customer_erasures_by_organization on customer_erasures (organization_id)",
  `create table erased_licenses (
    customer_id text not null references customer_erasures (customer_id),
    license_id text not null,
    since_at bigint not null,
    until_at bigint not null,
    primary key (customer_id, license_id, until_at)
  ) /* clustered */`,
];
