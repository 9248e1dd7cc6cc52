import type { Migration } from "./migration.ts";

/** Which organizations lost requests because the log was too large, and what deleted rows still take on disk. */
export const logCuts: Migration = {
  name: "0008-log-cuts",
  statements: [
    `create table request_log_cuts (
      organization_id text primary key,
      cut_until bigint not null
    )`,
    "alter table request_days add column deleted_bytes bigint not null default 0",
  ],
};
