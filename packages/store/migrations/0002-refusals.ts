import type { Migration } from "./migration.ts";

export const refusals: Migration = {
  name: "0002-refusals",
  statements: [
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
  ],
};
