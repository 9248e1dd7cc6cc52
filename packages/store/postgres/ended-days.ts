import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type pg from "pg";
import { keysTable, logColumns, logTable, startOfDay } from "../request-log/tables.ts";
import { advisoryLocks } from "./advisory-locks.ts";

/** About five million requests. Sorting more would take too long for the connection that writes the log. */
const maxBytes = 200_000_000;

/**
 * Sorts the keys of the newest day that has ended and is not sorted yet, and returns which. Segments add their keys at
 * the end of the table, so a key has a row on as many pages as the day has segments; sorted, on a few. PostgreSQL notes
 * that it was done. Runs in a transaction; searches of this day wait for it, about a second for a million requests.
 */
export async function sortKeys(client: pg.Client): Promise<number | null> {
  await client.query("set local lock_timeout = '1s'");
  const { rows: locks } = await client.query<{ is_free: boolean }>(
    `select pg_try_advisory_xact_lock(${advisoryLocks.sortedKeys}) as is_free`,
  );
  if (locks[0]?.is_free !== true) return null;
  const { rows: days } = await client.query<{ day: number }>(ended);
  const { rows: unsorted } = await client.query<{ table: string; index: string }>(unsortedTables, [maxBytes]);
  const indexes = new Map(unsorted.map(({ table, index }) => [table, index]));
  const day = days.find((one) => indexes.has(keysTable(one.day)))?.day;
  if (day === undefined) return null;
  await client.query(`cluster ${keysTable(day)} using ${indexes.get(keysTable(day))}`);
  return day;
}

const ended = `select day from request_days
  where (day + 1) * ${dayMs} <= (select closed_until from request_log_state) order by day desc`;

const unsortedTables = `select t.relname as table, x.relname as index
  from pg_inherits h
  join pg_class t on t.oid = h.inhrelid
  join pg_index i on i.indrelid = t.oid and i.indisprimary and not i.indisclustered
  join pg_class x on x.oid = i.indexrelid
  where h.inhparent = 'request_keys'::regclass and pg_relation_size(t.oid) <= $1`;

/** A day is rewritten if a tenth of what it takes on disk was deleted, and at least so much. */
const leastPart = 0.1;
const leastBytes = 1024 * 1024;

/** Rows can come late for some time, and wait while their day is rewritten. */
const restMs = hourMs;

/** Ten minutes are enough for a day of a hundred million requests. */
export const rewriteLimits = [
  "statement_timeout=600000",
  "lock_timeout=1000",
  "idle_in_transaction_session_timeout=5000",
];

/**
 * Rewrites the day of which most was deleted, and returns which; null if none is worth it, or if rows are still being
 * deleted. A table of a day that has ended gets no more rows, so nothing else would use the space of deleted ones again.
 * Searches go on meanwhile: only exchanging the tables at the end needs all of them to be done for a moment. Runs in a
 * transaction.
 */
export async function rewriteDay(client: pg.Client, nowMs: number): Promise<number | null> {
  const { rows: locks } = await client.query<{ is_free: boolean }>(
    `select pg_try_advisory_xact_lock(${advisoryLocks.rewrittenDays}) as is_free`,
  );
  if (locks[0]?.is_free !== true) return null;
  const { rows: days } = await client.query<{ day: number }>(worthIt, [nowMs - restMs]);
  const day = days[0]?.day;
  if (day === undefined) return null;
  const [table, copy] = [logTable(day), `${logTable(day)}_copy`];
  const bounds = [startOfDay(day), startOfDay(day + 1)] as const;
  const statements = [
    // Nobody writes to the table from now on.
    `lock table ${table} in share mode`,
    // With the condition of the partition, attaching it need not read it.
    `create table ${copy} (like request_log including all, check (at >= ${bounds[0]} and at < ${bounds[1]}))`,
    `insert into ${copy} (${logColumns.join()}) select ${logColumns.join()} from ${table} order by at, id`,
    `analyze ${copy}`,
    `select pg_advisory_xact_lock(${advisoryLocks.requestLogDays})`,
    `drop table ${table}`,
    `alter table ${copy} rename to ${table}`,
    `alter index ${copy}_pkey rename to ${table}_pkey`,
    `alter table request_log attach partition ${table} for values from (${bounds[0]}) to (${bounds[1]})`,
    // `sortKeys` sorts them again.
    `alter table ${keysTable(day)} set without cluster`,
    `update request_days set deleted_bytes = 0 where day = ${day}`,
  ];
  for (const statement of statements) await client.query(statement);
  return day;
}

/** The sum of a day's segments is what is left of it. */
const worthIt = `select d.day from request_days d
  left join request_segments s on s.from_at >= d.day * ${dayMs} and s.from_at < (d.day + 1) * ${dayMs}
  where (d.day + 1) * ${dayMs} <= $1 and d.deleted_bytes >= ${leastBytes}
    and (select sweep_position from request_log_state) is null
  group by d.day
  having d.deleted_bytes >= ${leastPart} * (d.deleted_bytes + coalesce(sum(s.bytes), 0))
  order by d.deleted_bytes desc limit 1`;
