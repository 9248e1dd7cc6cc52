import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay } from "@countersign/domain/quota/day";
import type { Database } from "../store.ts";
import type { RequestLogRow } from "../tables/journal.ts";

/**
 * The request log is stored by UTC day: `request_log_20261117` has the requests of a day, sorted by time, and
 * `request_keys_20261117` tells when an organization, a license or an IP address occurs in them. Its rows are sorted by
 * key, so that a search reads what all segments of the day know about one in one place. A day is deleted by dropping its
 * tables. `request_days` lists the days that have tables.
 *
 * A day is a number of days since 1970. On PostgreSQL the tables are partitions of `request_log` and `request_keys`, which
 * can be queried as a whole; on SQLite a query names the tables of a day. Both can query a day by its names.
 */
export function dayOf(atMs: number): number {
  return quotaDay(atMs);
}

export function startOfDay(day: number): number {
  return day * dayMs;
}

export function logTable(day: number): string {
  return `request_log_${nameOf(day)}`;
}

export function keysTable(day: number): string {
  return `request_keys_${nameOf(day)}`;
}

/** For Kysely: `selectFrom(logOf(day))` reads the requests of one day under the name `request_log`. */
export function logOf(day: number): "request_log" {
  return `${logTable(day)} as request_log` as "request_log";
}

/** For Kysely: the same for the keys, under the name `request_keys`. */
export function keysOf(day: number): "request_keys" {
  return `${keysTable(day)} as request_keys` as "request_keys";
}

export const logColumns = [
  ...["at", "id", "organization_id", "product_id", "license_id", "endpoint", "status", "ip", "version"],
  ...["device_id", "problem", "duration_us", "count", "sandbox", "facts"],
] as const;

/** Creates the tables of a day that is not in `request_days`. */
export function createDay(kind: "sqlite" | "postgres", day: number): string[] {
  return kind === "sqlite" ? createOnSqlite(day) : createOnPostgres(day);
}

export function dropDay(day: number): string[] {
  return [`drop table if exists ${logTable(day)}`, `drop table if exists ${keysTable(day)}`];
}

function createOnSqlite(day: number): string[] {
  return [
    `create table ${logTable(day)} (
      at integer not null,
      id text not null,
      organization_id text not null,
      product_id text not null,
      license_id text,
      endpoint text not null,
      status text not null,
      ip text not null,
      version text,
      device_id text,
      problem text,
      duration_us integer not null,
      count integer not null,
      sandbox integer not null,
      facts text,
      primary key (at, id)
    ) without rowid`,
    `create table ${keysTable(day)} (
      from_at integer not null,
      kind text not null,
      key text not null,
      count integer not null,
      ats text,
      primary key (kind, key, from_at)
    ) without rowid`,
  ];
}

/** A table that is attached, unlike one created as a partition, does not wait for those who read the others. */
function createOnPostgres(day: number): string[] {
  const bounds = `for values from (${startOfDay(day)}) to (${startOfDay(day + 1)})`;
  return [
    `create table ${logTable(day)} (like request_log including all)`,
    `alter table request_log attach partition ${logTable(day)} ${bounds}`,
    `create table ${keysTable(day)} (like request_keys including all)`,
    `alter table request_keys attach partition ${keysTable(day)} ${bounds}`,
  ];
}

function nameOf(day: number): string {
  return new Date(startOfDay(day)).toISOString().slice(0, 10).replaceAll("-", "");
}

/** Sorts rows as they are stored. */
export function byTime(one: RequestLogRow, other: RequestLogRow): number {
  return one.at - other.at || (one.id < other.id ? -1 : 1);
}

/** The days that have tables, the newest first. */
export async function existingDays(db: Database): Promise<number[]> {
  const rows = await db.selectFrom("request_days").select("day").orderBy("day", "desc").execute();
  return rows.map(({ day }) => day);
}

/** Whether a query failed because the tables of its day were dropped meanwhile: it then has no requests. */
export function isDayGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && error.code === undefinedTable) return true;
  return (
    /no such table: (main\.|journal\.)?request_(log|keys)_\d{8}/.test(error.message) || isDayGone(error.cause)
  );
}

const undefinedTable = "42P01";
