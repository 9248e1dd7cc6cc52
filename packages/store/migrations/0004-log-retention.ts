import type { Migration } from "./migration.ts";

/** How far the request log was read to delete what is kept for a shorter time than the rest: see `log-retention.ts`. */
export const logRetention: Migration = {
  name: "0004-log-retention",
  statements: [
    `create table request_log_sweep (
      id integer primary key check (id = 1),
      started_at bigint not null,
      position text
    )`,
    "insert into request_log_sweep (id, started_at, position) values (1, 0, null)",
  ],
};
