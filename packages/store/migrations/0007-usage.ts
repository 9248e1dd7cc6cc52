import type { Migration } from "./migration.ts";

/** Emails about reached limits, and organizations whose requests are kept for a different time. */
export const usage: Migration = {
  name: "0007-usage",
  statements: [
    `create index organizations_with_log_days on organizations (request_log_days_override)
      where request_log_days_override is not null`,
    // A product causes at most two of these events a day, unless its limit changes.
    `create index events_of_quota on events (at, id)
      where type in ('quota.warning', 'quota.exhausted')`,
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
  ],
};
