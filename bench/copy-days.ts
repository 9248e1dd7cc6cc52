/**
 * `node scripts/run.mjs bench/copy-days.ts --data FOLDER --copies 29`, or `--url postgres://…`: copies the fullest day
 * of a request log that `generate-requests.ts` has filled to the days before it, with its segments and keys in the order
 * in which they were written. A month with a million requests a day takes minutes this way, and hours the other.
 */
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { dayMs } from "@countersign/domain/dates/lengths";
import {
  createDay,
  keysTable,
  logColumns,
  logTable,
  startOfDay,
} from "@countersign/store/request-log/tables";
import pg from "pg";

const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    url: { type: "string" },
    copies: { type: "string", default: "29" },
  },
});
const kind = options.url === undefined ? "sqlite" : "postgres";
const { query, close } = options.url === undefined ? openSqlite() : await openPostgres(options.url);

const [fullest] = await query(
  `select from_at / ${dayMs} as day from request_segments group by 1 order by sum(rows) desc limit 1`,
);
const day = Number(fullest?.day);
const segments = "insert into request_segments (from_at, until_at, rows, bytes, closed_at)";
for (let back = 1; back <= Number(options.copies); back++) {
  const startedMs = performance.now();
  const shift = back * dayMs;
  const hex = kind === "sqlite" ? `printf('%012x', at - ${shift})` : `lpad(to_hex(at - ${shift}), 12, '0')`;
  // The ID of a request begins with its time.
  const shifted: Partial<Record<string, string>> = {
    at: `at - ${shift}`,
    id: `substr(${hex}, 1, 8) || '-' || substr(${hex}, 9, 4) || substr(id, 14)`,
  };
  await query("begin");
  for (const statement of createDay(kind, day - back)) await query(statement);
  await query(`insert into request_days (day) values (${day - back})`);
  await query(
    `insert into ${logTable(day - back)} (${logColumns.join()})
     select ${logColumns.map((column) => shifted[column] ?? column).join()} from ${logTable(day)} order by at, id`,
  );
  await query(
    `insert into ${keysTable(day - back)} (from_at, kind, key, count, ats)
     select from_at - ${shift}, kind, key, count, ats from ${keysTable(day)} order by from_at, kind, key`,
  );
  await query(
    `${segments} select from_at - ${shift}, until_at - ${shift}, rows, bytes, closed_at from request_segments
     where from_at >= ${startOfDay(day)} and from_at < ${startOfDay(day + 1)}`,
  );
  await query("commit");
  process.stdout.write(`${back} copied, ${Math.round(performance.now() - startedMs)} ms\n`);
}
await close();

interface Connection {
  readonly query: (sql: string) => Promise<Record<string, unknown>[]>;
  readonly close: () => Promise<void>;
}

function openSqlite(): Connection {
  const database = new DatabaseSync(`${options.data}/journal.db`);
  return { query: async (sql) => database.prepare(sql).all(), close: async () => database.close() };
}

async function openPostgres(url: string): Promise<Connection> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set synchronous_commit = off");
  return { query: async (sql) => (await client.query(sql)).rows, close: () => client.end() };
}
