import type { Migration } from "./migration.ts";

/**
 * What analytics read: see `rollups/roll-up.ts`. Each row is of one product, or of all products of an organization
 * together, which is the product ID ''. Counts are JSON objects, different licenses and IP addresses are sketches.
 */
export const rollUps: Migration = {
  name: "0006-rollups",
  statements: [
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
  ],
};
