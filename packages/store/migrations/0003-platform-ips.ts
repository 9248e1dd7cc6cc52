import type { Migration } from "./migration.ts";

/** The IP addresses that used the most licenses of all organizations. */
export const platformIps: Migration = {
  name: "0003-platform-ips",
  statements: [
    // The tier is the first column, because SQLite would otherwise prefer the primary key, and sort.
    `create index ip_sightings_of_platform on ip_sightings (tier, license_count, ip)
      where tier = 'platform'`,
  ],
};
