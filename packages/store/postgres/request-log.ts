import type pg from "pg";
import type { JournalEntry } from "../journal.ts";
import { forgetCuts } from "../request-log/cuts.ts";
import type { LogValue, RequestLog } from "../request-log/request-log.ts";
import { createDay, dayOf, dropDay, logColumns, startOfDay } from "../request-log/tables.ts";
import type { RollUps } from "../rollups/roll-up.ts";
import {
  dayTable,
  hourTable,
  hourUniquesTable,
  licenseDayTable,
  type RollUpTable,
} from "../rollups/tables.ts";
import type { RequestKeyRow } from "../tables/journal.ts";
import { advisoryLocks } from "./advisory-locks.ts";
import { endedList, numbers, texts } from "./lists.ts";

/** Nodes add rows together. Closing or changing a segment is done alone, so that no row is added to it meanwhile. */
export type Turn = "together" | "alone";

/** Writes the request log. What changes it, but for `prepare`, runs inside a transaction begun with `begin`. */
export class PostgresRequestLog implements RequestLog {
  readonly kind = "postgres";
  readonly client: pg.Client;
  /** Days that have tables. */
  readonly #days = new Set<number>();

  constructor(client: pg.Client) {
    this.client = client;
  }

  /** Begins a transaction, waits for its turn, and returns until when the log is closed. */
  async begin(turn: Turn): Promise<number> {
    const lock = `pg_advisory_xact_lock${turn === "together" ? "_shared" : ""}`;
    // Sent together.
    const [, , { rows }] = await Promise.all([
      this.client.query("begin"),
      this.client.query(`select ${lock}(${advisoryLocks.requestLogTurn})`),
      this.client.query<{ closed_until: number }>("select closed_until from request_log_state"),
    ]);
    return rows[0]?.closed_until ?? 0;
  }

  /** Creates the tables for the days of these entries, in a transaction of its own: nodes do it one after another. */
  async prepare(entries: readonly JournalEntry[]): Promise<void> {
    const missing = new Set<number>();
    for (const { at } of entries) {
      const day = dayOf(at);
      if (!this.#days.has(day)) missing.add(day);
    }
    if (missing.size === 0) return;
    await this.client.query("begin");
    await this.client.query(`select pg_advisory_xact_lock(${advisoryLocks.requestLogDays})`);
    for (const day of missing) {
      const { rowCount } = await this.client.query(
        "insert into request_days (day) values ($1) on conflict (day) do nothing",
        [day],
      );
      if (rowCount === 1)
        for (const statement of createDay("postgres", day)) await this.client.query(statement);
    }
    await this.client.query("commit");
    for (const day of missing) this.#days.add(day);
  }

  forget(): void {
    this.#days.clear();
  }

  async insert(entries: readonly JournalEntry[]): Promise<void> {
    await this.client.query({ ...insertEntries, values: columns(entries) });
  }

  /** The entries that are not in the log. */
  async unwritten(entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
    const { rows } = await this.client.query<{ id: string }>(
      `select r.id from unnest(${numbers("$1")}, ${texts("$2")}) as entry (at, id)
       join request_log r on r.at = entry.at and r.id = entry.id`,
      [endedList(entries, ({ at }) => at), endedList(entries, ({ id }) => id)],
    );
    const written = new Set(rows.map((row) => row.id));
    return entries.filter(({ id }) => !written.has(id));
  }

  async rows<Row>(statement: string, ...values: readonly LogValue[]): Promise<Row[]> {
    const { rows } = await this.client.query<Row & pg.QueryResultRow>(statement, [...values]);
    return rows;
  }

  async change(statement: string, ...values: readonly LogValue[]): Promise<number> {
    const { rowCount } = await this.client.query(statement, [...values]);
    return rowCount ?? 0;
  }

  mainRows<Row>(statement: string, ...values: readonly LogValue[]): Promise<Row[]> {
    return this.rows<Row>(statement, ...values);
  }

  among(column: string, list: `$${number}`): string {
    return `${column} = any (${list}::text[])`;
  }

  async firstOpenAt(): Promise<number | null> {
    const { rows } = await this.client.query<{ at: number }>(firstOpen);
    return rows[0]?.at ?? null;
  }

  async storedKeys(segmentFrom: number, keys: readonly RequestKeyRow[]): Promise<RequestKeyRow[]> {
    const { rows } = await this.client.query<RequestKeyRow>(
      `select k.from_at, k.kind, k.key, k.count, k.ats
       from unnest(${texts("$2")}, ${texts("$3")}) as wanted (kind, key)
       join request_keys k on k.from_at = $1 and k.kind = wanted.kind and k.key = wanted.key`,
      [segmentFrom, endedList(keys, ({ kind }) => kind), endedList(keys, ({ key }) => key)],
    );
    return rows;
  }

  async writeKeys(keys: readonly RequestKeyRow[]): Promise<void> {
    if (keys.length === 0) return;
    await this.client.query({
      ...insertKeys,
      values: [
        endedList(keys, ({ from_at }) => from_at),
        endedList(keys, ({ kind }) => kind),
        endedList(keys, ({ key }) => key),
        endedList(keys, ({ count }) => count),
        endedList(keys, ({ ats }) => ats),
      ],
    });
  }

  /** Transactions that close a segment exclude each other, so no row changes between reading and writing it. */
  async writeRollUps({ hours, days, sharing }: RollUps): Promise<void> {
    await write(this.client, hourTable, hours);
    await write(this.client, hourUniquesTable, hours);
    await write(this.client, dayTable, days);
    await write(this.client, licenseDayTable, sharing);
  }

  /** Readers wait for it: if it has to wait for one, it gives up soon, and is tried again later. */
  async dropDay(day: number): Promise<void> {
    await this.client.query("set local lock_timeout = '1s'");
    await this.client.query(`select pg_advisory_xact_lock(${advisoryLocks.requestLogDays})`);
    for (const statement of dropDay(day)) await this.client.query(statement);
    await this.client.query("delete from request_segments where from_at >= $1 and from_at < $2", [
      startOfDay(day),
      startOfDay(day + 1),
    ]);
    await this.client.query("delete from request_days where day = $1", [day]);
    await this.client.query(forgetCuts);
    this.#days.delete(day);
  }
}

/** The entries transposed: one list per column. */
function columns(entries: readonly JournalEntry[]): string[] {
  return logColumns.map((column) => endedList(entries, (entry) => entry[column]));
}

const isNumber = new Set(["at", "duration_us", "count", "sandbox"]);

const insertEntries = {
  name: "log",
  text: `insert into request_log (${logColumns.join()})
  select at, id, organization_id, product_id, license_id, endpoint, status, ip, version, device_id, problem,
    duration_us, count, sandbox::integer, facts
  from unnest(${logColumns.map((name, at) => (isNumber.has(name) ? numbers : texts)(`$${at + 1}`)).join()})
    as entry (${logColumns.join()})
  where id is not null`,
};

const insertKeys = {
  name: "insert_keys",
  text: `insert into request_keys (from_at, kind, key, count, ats)
    select * from unnest(${numbers("$1")}, ${texts("$2")}, ${texts("$3")}, ${numbers("$4")}, ${texts("$5")})
      as entry (from_at)
    where from_at is not null
    on conflict (from_at, kind, key) do update set count = excluded.count, ats = excluded.ats`,
};

const firstOpen = {
  name: "first_open",
  text: `select at from request_log where at >= (select closed_until from request_log_state)
    order by at limit 1`,
};

/** With the largest sketches, this is about 3 MB. */
const rowsAtOnce = 500;

async function write<Row, Added>(
  client: pg.Client,
  table: RollUpTable<Row, Added>,
  added: readonly Added[],
): Promise<void> {
  const { name, key, columns, numbers, keyOf, merged } = table;
  const list = (column: string, at: number) => `$${at + 1}::${numbers.has(column) ? "bigint" : "text"}[]`;
  const same = key.map((column) => `stored.${column} = added.${column}`).join(" and ");
  for (let from = 0; from < added.length; from += rowsAtOnce) {
    const batch = added.slice(from, from + rowsAtOnce);
    const keys = batch.map(keyOf);
    const { rows } = await client.query<Row & object>({
      name: `stored_${name}`,
      text: `select ${columns.map((column) => `stored.${column}`).join()}
        from unnest(${key.map(list).join()}) as added (${key.join()}) join ${name} stored on ${same}`,
      values: key.map((_, at) => keys.map((values) => values[at])),
    });
    const known = new Map(rows.map((row) => [key.map((column) => row[column]).join(" "), row]));
    const written = batch.map((one, at) => merged(known.get((keys[at] ?? []).join(" ")), one));
    await client.query({
      name: `write_${name}`,
      text: `insert into ${name} (${columns.join()}) select * from unnest(${columns.map(list).join()})
        on conflict (${key.join()}) do update set ${columns
          .filter((column) => !key.includes(column))
          .map((column) => `${column} = excluded.${column}`)
          .join()}`,
      values: columns.map((column) => written.map((row) => row[column])),
    });
  }
}
