import type { Migration } from "./migration.ts";

/**
 * The request log by UTC day: see `request-log/tables.ts`, which also creates the tables of each day. On PostgreSQL these
 * are partitions of the two tables here; SQLite has no such tables.
 */
export const requestLogByDay: Migration = {
  name: "0005-request-log-by-day",
  statements: [
    "drop table request_log",
    "drop table request_log_sweep",
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
        primary key (from_at, kind, key)
      ) partition by range (from_at)`,
    },
    "create table request_days (day bigint primary key)",
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
  ],
};
