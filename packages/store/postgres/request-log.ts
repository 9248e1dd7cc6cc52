import type pg from "pg";
import type { JournalEntry } from "../journal.ts";
import { forgetCuts } from "../request-log/cuts.ts";
import { keysIn, mergeKeys } from "../request-log/keys.ts";
import {
  type Bounds,
  horizon,
  isDue,
  placeLate,
  rowsPerSegment,
  storedBytes,
  wholeMilliseconds,
} from "../request-log/segment.ts";
import { byTime, createDay, dayOf, dropDay, logColumns, startOfDay } from "../request-log/tables.ts";
import type { Geo } from "../rollups/geo.ts";
import { RecentUse } from "../rollups/recent-use.ts";
import type { RollUps } from "../rollups/roll-up.ts";
import { rollUp } from "../rollups/roll-up.ts";
import {
  dayTable,
  hourTable,
  hourUniquesTable,
  licenseDayTable,
  type RollUpTable,
} from "../rollups/tables.ts";
import type { RequestKeyRow, RequestLogRow } from "../tables/journal.ts";
import { advisoryLocks } from "./advisory-locks.ts";
import { separator } from "./sql.ts";

/** Nodes add rows together. Closing or changing a segment is done alone, so that no row is added to it meanwhile. */
export type Turn = "together" | "alone";

/** Begins a transaction, waits for its turn, and returns until when the log is closed. */
export async function beginTurn(client: pg.Client, turn: Turn): Promise<number> {
  const lock = `pg_advisory_xact_lock${turn === "together" ? "_shared" : ""}`;
  // Sent together.
  const [, , { rows }] = await Promise.all([
    client.query("begin"),
    client.query(`select ${lock}(${advisoryLocks.requestLogTurn})`),
    client.query<{ closed_until: number }>("select closed_until from request_log_state"),
  ]);
  return rows[0]?.closed_until ?? 0;
}

/** Writes the request log. Every function but `prepare` runs inside a transaction begun with `beginTurn`. */
export class PostgresRequestLog {
  readonly #geo: () => Geo | null;
  readonly #recent = new RecentUse();
  /** Days that have tables. */
  readonly #days = new Set<number>();

  constructor(geo: () => Geo | null) {
    this.#geo = geo;
  }

  /** Creates the tables for the days of these entries, in a transaction of its own: nodes do it one after another. */
  async prepare(client: pg.Client, entries: readonly JournalEntry[]): Promise<void> {
    const missing = new Set<number>();
    for (const { at } of entries) {
      const day = dayOf(at);
      if (!this.#days.has(day)) missing.add(day);
    }
    if (missing.size === 0) return;
    await client.query("begin");
    await client.query(`select pg_advisory_xact_lock(${advisoryLocks.requestLogDays})`);
    for (const day of missing) {
      const { rowCount } = await client.query(
        "insert into request_days (day) values ($1) on conflict (day) do nothing",
        [day],
      );
      if (rowCount === 1) for (const statement of createDay("postgres", day)) await client.query(statement);
    }
    await client.query("commit");
    for (const day of missing) this.#days.add(day);
  }

  forget(): void {
    this.#days.clear();
  }

  async insert(client: pg.Client, entries: readonly JournalEntry[]): Promise<void> {
    await client.query({ ...log, values: columns(entries) });
  }

  /** The entries that are not in the log. */
  async unwritten(client: pg.Client, entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
    const { rows } = await client.query<{ id: string }>(
      `select r.id from unnest(${numbers("$1")}, ${texts("$2")}) as entry (at, id)
       join request_log r on r.at = entry.at and r.id = entry.id`,
      [endedList(entries, ({ at }) => at), endedList(entries, ({ id }) => id)],
    );
    const written = new Set(rows.map((row) => row.id));
    return entries.filter(({ id }) => !written.has(id));
  }

  /** Whether it is worth taking a turn. */
  async isSegmentDue(client: pg.Client, nowMs: number): Promise<boolean> {
    const first = await this.#firstOpenAt(client);
    if (first === null) return false;
    const { rows } = await client.query<{ count: number }>({
      ...countOpen,
      values: [first, horizon(first, nowMs), rowsPerSegment + 1],
    });
    return isDue(first, rows[0]?.count ?? 0, nowMs);
  }

  /** As `Journal.closeSegment`. */
  async closeSegment(client: pg.Client, nowMs: number): Promise<number> {
    // Another node may have closed it in the meantime.
    if (!(await this.isSegmentDue(client, nowMs))) return 0;
    const first = (await this.#firstOpenAt(client)) ?? 0;
    const { rows: read } = await client.query<RequestLogRow>({
      ...readOpen,
      values: [first, horizon(first, nowMs), rowsPerSegment + 1],
    });
    const some = wholeMilliseconds(read);
    const rows =
      some.length > 0
        ? some
        : (
            await client.query<RequestLogRow>(
              `select ${logColumns.join()} from request_log where at = $1 order by id`,
              [first],
            )
          ).rows;
    const untilAt = (rows.at(-1) as RequestLogRow).at + 1;
    await this.#addSegment(client, rows, { from_at: first, until_at: untilAt }, nowMs);
    await client.query("update request_log_state set closed_until = $1 where id = 1", [untilAt]);
    return rows.length;
  }

  /** Entries before the time until which the log is closed. Needs a turn alone. */
  async addLate(client: pg.Client, entries: readonly JournalEntry[]): Promise<void> {
    const late = entries.toSorted(byTime);
    for (const [day, rows] of Map.groupBy(late, ({ at }) => dayOf(at))) {
      const { rows: segments } = await client.query<Bounds>(
        "select from_at, until_at from request_segments where from_at >= $1 and from_at < $2",
        [startOfDay(day), startOfDay(day + 1)],
      );
      for (const { isNew, rows: own, ...bounds } of placeLate(rows, segments)) {
        if (isNew) await this.#addSegment(client, own, bounds, Date.now());
        else await this.#addToSegment(client, own, bounds);
      }
    }
  }

  /** Readers wait for it: if it has to wait for one, it gives up soon, and is tried again later. */
  async dropDay(client: pg.Client, day: number): Promise<void> {
    await client.query("set local lock_timeout = '1s'");
    await client.query(`select pg_advisory_xact_lock(${advisoryLocks.requestLogDays})`);
    for (const statement of dropDay(day)) await client.query(statement);
    await client.query("delete from request_segments where from_at >= $1 and from_at < $2", [
      startOfDay(day),
      startOfDay(day + 1),
    ]);
    await client.query("delete from request_days where day = $1", [day]);
    await client.query(forgetCuts);
    this.#days.delete(day);
  }

  async #firstOpenAt(client: pg.Client): Promise<number | null> {
    const { rows } = await client.query<{ at: number }>(firstOpen);
    return rows[0]?.at ?? null;
  }

  async #addSegment(
    client: pg.Client,
    rows: readonly RequestLogRow[],
    { from_at, until_at }: Bounds,
    nowMs: number,
  ): Promise<void> {
    const keys = keysIn(rows, from_at);
    await writeKeys(client, keys);
    await client.query(
      "insert into request_segments (from_at, until_at, rows, bytes, closed_at) values ($1, $2, $3, $4, $5)",
      [from_at, until_at, rows.length, storedBytes("postgres", rows, keys), nowMs],
    );
    await this.#rollUp(client, rows);
  }

  async #addToSegment(client: pg.Client, rows: readonly RequestLogRow[], { from_at }: Bounds): Promise<void> {
    const keys = keysIn(rows, from_at);
    const { rows: found } = await client.query<RequestKeyRow>(
      `select k.from_at, k.kind, k.key, k.count, k.ats from unnest(${texts("$2")}, ${texts("$3")}) as own (kind, key)
       join request_keys k on k.from_at = $1 and k.kind = own.kind and k.key = own.key`,
      [from_at, endedList(keys, ({ kind }) => kind), endedList(keys, ({ key }) => key)],
    );
    const known = new Map(found.map((row) => [`${row.kind} ${row.key}`, row]));
    await writeKeys(
      client,
      keys.map((key) => {
        const before = known.get(`${key.kind} ${key.key}`);
        return before === undefined ? key : mergeKeys(before, key);
      }),
    );
    await client.query(
      "update request_segments set rows = rows + $1, bytes = bytes + $2 where from_at = $3",
      [rows.length, storedBytes("postgres", rows, keys), from_at],
    );
    await this.#rollUp(client, rows);
  }

  /** Rows are added to the roll-ups in the transaction that adds them to a segment, so the two always agree. */
  async #rollUp(client: pg.Client, rows: readonly RequestLogRow[]): Promise<void> {
    await writeRollUps(client, rollUp(rows, this.#geo(), this.#recent));
  }
}

export async function writeKeys(client: pg.Client, keys: readonly RequestKeyRow[]): Promise<void> {
  if (keys.length === 0) return;
  await client.query({
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

/** The entries transposed: one list per column. */
function columns(entries: readonly JournalEntry[]): string[] {
  return logColumns.map((column) => endedList(entries, (entry) => entry[column]));
}

const isNumber = new Set(["at", "duration_us", "count", "sandbox"]);

const log = {
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

const countOpen = {
  name: "count_open",
  text: `select count(*) as count from (select 1 from request_log where at >= $1 and at < $2 limit $3) as open`,
};

const readOpen = {
  name: "read_open",
  text: `select ${logColumns.join()} from request_log where at >= $1 and at < $2 order by at, id limit $3`,
};

/** A list as one text, which the driver passes through; an array would be escaped element by element. */
export function list<T>(items: readonly T[], value: (item: T) => string | number | boolean | null): string {
  return items.map((item) => listItem(value(item))).join(separator);
}

/** Ends with a null, because to PostgreSQL a list of one empty text is an empty list. */
export function endedList<T>(
  items: readonly T[],
  value: (item: T) => string | number | boolean | null,
): string {
  return list(items, value) + separator + nothing;
}

function listItem(value: string | number | boolean | null): string {
  if (value === null) return nothing;
  // Callers' input can contain anything: the two special characters of a list, and NUL, which PostgreSQL does not
  // accept.
  return typeof value === "string" ? value.replace(unlisted, "\uFFFD") : String(value);
}

const nothing = "\x1e";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const unlisted = /[\0\x1e\x1f]/g;

export function texts(parameter: string): string {
  return `string_to_array(${parameter}, e'\\x1f', e'\\x1e')`;
}

export function numbers(parameter: string): string {
  return `${texts(parameter)}::bigint[]`;
}

/** With the largest sketches, this is about 3 MB. */
const rowsAtOnce = 500;

/**
 * Adds to the roll-ups, inside the transaction that closes the part of the log that they were counted from. Such
 * transactions exclude each other, so no row changes between reading and writing it.
 */
async function writeRollUps(client: pg.Client, { hours, days, sharing }: RollUps): Promise<void> {
  await write(client, hourTable, hours);
  await write(client, hourUniquesTable, hours);
  await write(client, dayTable, days);
  await write(client, licenseDayTable, sharing);
}

async function write<Row, Added>(
  client: pg.Client,
  table: RollUpTable<Row, Added>,
  added: readonly Added[],
): Promise<void> {
  const { name, key, columns, numbers, keyOf, merged } = table;
  const list = (column: string, at: number) => `$${at + 1}::${numbers.has(column) ? "bigint" : "text"}[]`;
  const same = key.map((column) => `stored.${column} = added.${column}`).join(" and ");
  for (let from = 0; from < added.length; from += rowsAtOnce) {
    const some = added.slice(from, from + rowsAtOnce);
    const keys = some.map(keyOf);
    const { rows } = await client.query<Row & object>({
      name: `stored_${name}`,
      text: `select ${columns.map((column) => `stored.${column}`).join()}
        from unnest(${key.map(list).join()}) as added (${key.join()}) join ${name} stored on ${same}`,
      values: key.map((_, at) => keys.map((values) => values[at])),
    });
    const known = new Map(rows.map((row) => [key.map((column) => row[column]).join(" "), row]));
    const written = some.map((one, at) => merged(known.get((keys[at] ?? []).join(" ")), one));
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
