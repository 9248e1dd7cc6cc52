import { dayMs } from "@countersign/domain/dates/lengths";
import type pg from "pg";
import { keysTable } from "../request-log/tables.ts";
import { advisoryLocks } from "./advisory-locks.ts";

/** About five million requests. Sorting more would take too long for the connection that writes the log. */
const mostBytes = 200_000_000;

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
  const { rows: unsorted } = await client.query<{ table: string; index: string }>(unsortedTables, [
    mostBytes,
  ]);
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
