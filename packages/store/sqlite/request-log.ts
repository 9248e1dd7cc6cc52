import type { DatabaseSync, StatementSync } from "node:sqlite";
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
import {
  byTime,
  createDay,
  dayOf,
  dropDay,
  keysTable,
  logColumns,
  logTable,
  startOfDay,
} from "../request-log/tables.ts";
import type { Geo } from "../rollups/geo.ts";
import { RecentUse } from "../rollups/recent-use.ts";
import { type RollUps, rollUp } from "../rollups/roll-up.ts";
import {
  dayTable,
  hourTable,
  hourUniquesTable,
  licenseDayTable,
  type RollUpTable,
} from "../rollups/tables.ts";
import type { RequestKeyRow, RequestLogRow } from "../tables/journal.ts";

/** Writes the request log. Every function runs inside a transaction that the caller has begun. */
export class SqliteRequestLog {
  readonly #database: DatabaseSync;
  readonly #geo: () => Geo | null;
  readonly #recent = new RecentUse();
  /** The insert statements of some days, which have tables. */
  readonly #days = new Map<number, StatementSync>();

  constructor(database: DatabaseSync, geo: () => Geo | null) {
    this.#database = database;
    this.#geo = geo;
  }

  /** Returns the entries that were not written before. */
  append(entries: readonly JournalEntry[]): JournalEntry[] {
    const closedUntil = this.#closedUntil();
    const late: RequestLogRow[] = [];
    let day = Number.NaN;
    let statement: StatementSync | null = null;
    const fresh = entries.filter((entry) => {
      const { at } = entry;
      if (statement === null || dayOf(at) !== day) {
        day = dayOf(at);
        statement = this.#inserting(day);
      }
      const { changes } = statement.run(...logColumns.map((column) => entry[column]));
      if (changes === 0) return false;
      if (at < closedUntil) late.push(entry);
      return true;
    });
    if (late.length > 0) this.#addLate(late);
    return fresh;
  }

  /** As `Journal.closeSegment`. */
  closeSegment(nowMs: number): number {
    const first = this.#firstOpenAt();
    if (first === null) return 0;
    const table = logTable(dayOf(first));
    const until = horizon(first, nowMs);
    const open = this.#database
      .prepare(`select count(*) as count from (select 1 from ${table} where at >= ? and at < ? limit ?)`)
      .get(first, until, rowsPerSegment + 1)?.count;
    if (!isDue(first, Number(open), nowMs)) return 0;
    const some = wholeMilliseconds(
      this.#database
        .prepare(`select ${logColumns.join()} from ${table} where at >= ? and at < ? order by at, id limit ?`)
        .all(first, until, rowsPerSegment + 1) as unknown as RequestLogRow[],
    );
    const rows =
      some.length > 0
        ? some
        : (this.#database
            .prepare(`select ${logColumns.join()} from ${table} where at = ? order by id`)
            .all(first) as unknown as RequestLogRow[]);
    const untilAt = (rows.at(-1) as RequestLogRow).at + 1;
    this.#addSegment(rows, { from_at: first, until_at: untilAt }, nowMs);
    this.#database.prepare("update request_log_state set closed_until = ? where id = 1").run(untilAt);
    return rows.length;
  }

  /** Drops the tables of a day, and returns how many rows its segments had. */
  dropDay(day: number): number {
    const bounds = [startOfDay(day), startOfDay(day + 1)] as const;
    const rows = this.#database
      .prepare(
        "select coalesce(sum(rows), 0) as rows from request_segments where from_at >= ? and from_at < ?",
      )
      .get(...bounds)?.rows;
    this.#days.delete(day);
    for (const statement of dropDay(day)) this.#database.exec(statement);
    this.#database.prepare("delete from request_segments where from_at >= ? and from_at < ?").run(...bounds);
    this.#database.prepare("delete from request_days where day = ?").run(day);
    this.#database.exec(forgetCuts);
    return Number(rows);
  }

  /** Forgets what a transaction that was rolled back may have created. */
  forget(): void {
    this.#days.clear();
  }

  #inserting(day: number): StatementSync {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const { changes } = this.#database
      .prepare("insert into request_days (day) values (?) on conflict (day) do nothing")
      .run(day);
    if (changes > 0) for (const statement of createDay("sqlite", day)) this.#database.exec(statement);
    const statement = this.#database.prepare(
      `insert into ${logTable(day)} (${logColumns.join()}) values (${logColumns.map(() => "?").join()})
       on conflict (at, id) do nothing`,
    );
    this.#days.set(day, statement);
    for (const oldest of this.#days.keys()) {
      if (this.#days.size <= maxDaysPrepared) break;
      this.#days.delete(oldest);
    }
    return statement;
  }

  #closedUntil(): number {
    return Number(this.#database.prepare("select closed_until from request_log_state").get()?.closed_until);
  }

  #firstOpenAt(): number | null {
    const closedUntil = this.#closedUntil();
    const days = this.#database
      .prepare("select day from request_days where day >= ? order by day")
      .all(dayOf(closedUntil));
    for (const { day } of days) {
      const first = this.#database
        .prepare(`select at from ${logTable(Number(day))} where at >= ? order by at limit 1`)
        .get(closedUntil)?.at;
      if (first !== undefined) return Number(first);
    }
    return null;
  }

  #addSegment(rows: readonly RequestLogRow[], { from_at, until_at }: Bounds, nowMs: number): void {
    const keys = keysIn(rows, from_at);
    writeKeys(this.#database, keys);
    this.#database
      .prepare(
        "insert into request_segments (from_at, until_at, rows, bytes, closed_at) values (?, ?, ?, ?, ?)",
      )
      .run(from_at, until_at, rows.length, storedBytes("sqlite", rows, keys), nowMs);
    this.#rollUp(rows);
  }

  #addLate(late: RequestLogRow[]): void {
    late.sort(byTime);
    for (const rows of Map.groupBy(late, ({ at }) => dayOf(at)).values()) {
      const day = dayOf((rows[0] as RequestLogRow).at);
      const segments = this.#database
        .prepare("select from_at, until_at from request_segments where from_at >= ? and from_at < ?")
        .all(startOfDay(day), startOfDay(day + 1)) as unknown as Bounds[];
      for (const { isNew, rows: own, ...bounds } of placeLate(rows, segments)) {
        if (isNew) this.#addSegment(own, bounds, Date.now());
        else this.#addToSegment(own, bounds);
      }
    }
  }

  #addToSegment(rows: readonly RequestLogRow[], { from_at }: Bounds): void {
    const known = this.#database.prepare(
      `select from_at, kind, key, count, ats from ${keysTable(dayOf(from_at))}
       where from_at = ? and kind = ? and key = ?`,
    );
    const keys = keysIn(rows, from_at);
    writeKeys(
      this.#database,
      keys.map((key) => {
        const before = known.get(from_at, key.kind, key.key) as unknown as RequestKeyRow | undefined;
        return before === undefined ? key : mergeKeys(before, key);
      }),
    );
    this.#database
      .prepare("update request_segments set rows = rows + ?, bytes = bytes + ? where from_at = ?")
      .run(rows.length, storedBytes("sqlite", rows, keys), from_at);
    this.#rollUp(rows);
  }

  /** Rows are added to the roll-ups in the transaction that adds them to a segment, so the two always agree. */
  #rollUp(rows: readonly RequestLogRow[]): void {
    writeRollUps(this.#database, rollUp(rows, this.#geo(), this.#recent));
  }
}

export function writeKeys(database: DatabaseSync, keys: readonly RequestKeyRow[]): void {
  const first = keys[0];
  if (first === undefined) return;
  const statement = database.prepare(
    `insert into ${keysTable(dayOf(first.from_at))} (from_at, kind, key, count, ats) values (?, ?, ?, ?, ?)
     on conflict (from_at, kind, key) do update set count = excluded.count, ats = excluded.ats`,
  );
  for (const { from_at, kind, key, count, ats } of keys) statement.run(from_at, kind, key, count, ats);
}

const maxDaysPrepared = 4;

/** Adds to the roll-ups, inside the transaction that closes the part of the log that they were counted from. */
function writeRollUps(database: DatabaseSync, { hours, days, sharing }: RollUps): void {
  write(database, hourTable, hours);
  write(database, hourUniquesTable, hours);
  write(database, dayTable, days);
  write(database, licenseDayTable, sharing);
}

function write<Row, Added>(
  database: DatabaseSync,
  { name, key, columns, keyOf, merged }: RollUpTable<Row, Added>,
  added: readonly Added[],
): void {
  if (added.length === 0) return;
  const stored = database.prepare(
    `select ${columns.join()} from ${name} where ${key.map((column) => `${column} = ?`).join(" and ")}`,
  );
  const replace = database.prepare(
    `insert into ${name} (${columns.join()}) values (${columns.map(() => "?").join()})
     on conflict (${key.join()}) do update set ${updates(key, columns)}`,
  );
  for (const one of added) {
    const row = merged(stored.get(...keyOf(one)) as unknown as Row | undefined, one);
    replace.run(...columns.map((column) => row[column] as string | number | null));
  }
}

function updates(key: readonly string[], columns: readonly string[]): string {
  return columns
    .filter((column) => !key.includes(column))
    .map((column) => `${column} = excluded.${column}`)
    .join();
}
