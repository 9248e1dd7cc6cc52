import type { Migration } from "./migration.ts";

export const journal: Migration = {
  name: "0001-journal",
  statements: [
    `create table request_log (
      id text primary key,
      at bigint not null,
      organization_id text not null,
      product_id text not null,
      license_id text,
      endpoint text not null,
      status text not null,
      ip text not null,
      version text,
      device_id text,
      problem text
    ) /* clustered */`,
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
  ],
};
