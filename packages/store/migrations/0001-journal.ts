import type { Statement } from "./migration.ts";

/**
 * The request log by UTC day: see `request-log/tables.ts`, which also creates the tables of each day. On PostgreSQL these
 * are partitions of the two tables here; SQLite has no such tables.
 */
const requestLog: readonly Statement[] = [
  {
    sqlite: null,
    postgres: `create table request_log (
        at bigint not null,
        id text /* by bytes */ not null,
        organization_id text not null,
        product_id text not null,
        license_id text,
        endpoint text not null,
        status text not null,
        ip text not null,
        version text,
        device_id text,
        problem text,
        duration_us bigint not null,
        count bigint not null,
        sandbox integer not null,
        facts text,
        primary key (at, id)
      ) partition by range (at)`,
  },
  {
    sqlite: null,
    postgres: `create table request_keys (
        from_at bigint not null,
        kind text /* by bytes */ not null,
        key text /* by bytes */ not null,
        count bigint not null,
        ats text,
        primary key (kind, key, from_at)
      ) partition by range (from_at)`,
  },
  // What deleted rows still take on disk is part of the size of a day.
  "create table request_days (day bigint primary key, deleted_bytes bigint not null default 0)",
  `create table request_segments (
    from_at bigint primary key,
    until_at bigint not null,
    rows bigint not null,
    bytes bigint not null,
    closed_at bigint not null
  )`,
  `create table request_log_state (
    id integer primary key check (id = 1),
    closed_until bigint not null,
    cut_until bigint not null,
    sweep_started_at bigint not null,
    sweep_position bigint
  )`,
  `insert into request_log_state (id, closed_until, cut_until, sweep_started_at, sweep_position)
    values (1, 0, 0, 0, null)`,
  // Which organizations lost requests because the log was too large.
  `create table request_log_cuts (
    organization_id text primary key,
    cut_until bigint not null
  )`,
];

/** Which IP addresses used licenses. */
const sightings: readonly Statement[] = [
  `create table ip_sightings (
    tier text not null,
    scope_id text not null,
    ip text /* by bytes */ not null,
    first_seen_at bigint not null,
    last_seen_at bigint not null,
    hits bigint not null,
    license_count bigint not null,
    primary key (tier, scope_id, ip)
  ) /* clustered */`,
  // Which licenses an IP address was used with, and which IP addresses used the most licenses of an organization.
  "create index ip_sightings_by_ip on ip_sightings (ip, tier, scope_id)",
  `create index ip_sightings_by_license_count on ip_sightings (scope_id, license_count, ip)
    where tier = 'organization'`,
  // The IP addresses that used the most licenses of all organizations. The tier is the first column, because SQLite
  // would otherwise prefer the primary key, and sort.
  `create index ip_sightings_of_platform on ip_sightings (tier, license_count, ip)
    where tier = 'platform'`,
];

/** How often each license was refused. */
const refusals: readonly Statement[] = [
  `create table license_refusals (
    license_id text not null,
    day bigint not null,
    status text not null,
    organization_id text not null,
    count bigint not null,
    first_at bigint not null,
    last_at bigint not null,
    last_ip text not null,
    last_version text,
    primary key (license_id, day, status)
  ) /* clustered */`,
  // For pruning. Only the first refusal of a license, day and status writes to it.
  "create index license_refusals_by_day on license_refusals (day)",
];

/**
 * What analytics read: see `rollups/roll-up.ts`. Each row is of one product, or of all products of an organization
 * together, which is the product ID ''. Counts are JSON objects, different licenses and IP addresses are sketches.
 */
const rollUps: readonly Statement[] = [
  `create table rollup_hours (
    organization_id text not null,
    product_id text not null,
    hour bigint not null,
    counts text not null,
    versions text not null,
    countries text not null,
    primary key (organization_id, product_id, hour)
  ) /* clustered */`,
  // For pruning. Only the first request of a product and hour writes to it.
  "create index rollup_hours_by_hour on rollup_hours (hour)",
  // Sketches are large, and those of hours are kept for a shorter time.
  `create table rollup_hour_uniques (
    organization_id text not null,
    product_id text not null,
    hour bigint not null,
    licenses text not null,
    active text not null,
    ips text not null,
    primary key (organization_id, product_id, hour)
  ) /* clustered */`,
  "create index rollup_hour_uniques_by_hour on rollup_hour_uniques (hour)",
  `create table rollup_days (
    organization_id text not null,
    product_id text not null,
    day bigint not null,
    licenses text not null,
    active text not null,
    ips text not null,
    refused text not null,
    primary key (organization_id, product_id, day)
  ) /* clustered */`,
  "create index rollup_days_by_day on rollup_days (day)",
  // Licenses that were used from several places on a day, or with several devices.
  `create table license_days (
    organization_id text not null,
    day bigint not null,
    license_id text not null,
    product_id text not null,
    ip_count bigint not null,
    device_count bigint not null,
    speed_kmh bigint,
    ips text not null,
    devices text not null,
    travel text,
    primary key (organization_id, day, license_id)
  ) /* clustered */`,
  "create index license_days_by_day on license_days (day)",
];

export const journal: readonly Statement[] = [...requestLog, ...sightings, ...refusals, ...rollUps];
