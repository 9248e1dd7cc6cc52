import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { JournalEntry } from "../journal.ts";
import { forgetCuts } from "../request-log/cuts.ts";
import type { LogValue, RequestLog } from "../request-log/request-log.ts";
import {
  createDay,
  dayOf,
  dropDay,
  keysTable,
  logColumns,
  logTable,
  startOfDay,
} from "../request-log/tables.ts";
import type { RollUps } from "../rollups/roll-up.ts";
import {
  dayTable,
  hourTable,
  hourUniquesTable,
  licenseDayTable,
  type RollUpTable,
} from "../rollups/tables.ts";
import type { RequestKeyRow } from "../tables/journal.ts";
import { openDatabase } from "./files.ts";

/** Writes the request log. What changes it runs inside a transaction that the caller has begun. */
export class SqliteRequestLog implements RequestLog {
  readonly kind = "sqlite";
  readonly #database: DatabaseSync;
  readonly #mainFile: string;
  /** The insert statements of some days, which have tables. */
  readonly #days = new Map<number, StatementSync>();

  constructor(database: DatabaseSync, mainFile: string) {
    this.#database = database;
    this.#mainFile = mainFile;
  }

  /** Returns the entries that were not written before, and those of them that belong to closed segments. */
  insert(entries: readonly JournalEntry[]): Record<"fresh" | "late", JournalEntry[]> {
    const closedUntil = this.#closedUntil();
    const late: JournalEntry[] = [];
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
    return { fresh, late };
  }

  /** Forgets what a transaction that was rolled back may have created. */
  forget(): void {
    this.#days.clear();
  }

  async rows<Row>(statement: string, ...values: readonly LogValue[]): Promise<Row[]> {
    return this.#database.prepare(numbered(statement)).all(...values.map(bound)) as Row[];
  }

  async change(statement: string, ...values: readonly LogValue[]): Promise<number> {
    return Number(this.#database.prepare(numbered(statement)).run(...values.map(bound)).changes);
  }

  /** On a separate connection: a journal transaction must never lock the main file. */
  async mainRows<Row>(statement: string, ...values: readonly LogValue[]): Promise<Row[]> {
    const main = openDatabase(this.#mainFile);
    try {
      main.exec("pragma query_only = on");
      return main.prepare(numbered(statement)).all(...values.map(bound)) as Row[];
    } finally {
      main.close();
    }
  }

  among(column: string, list: `$${number}`): string {
    return `${column} in (select value from json_each(${list}))`;
  }

  async firstOpenAt(): Promise<number | null> {
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

  async storedKeys(segmentFrom: number, keys: readonly RequestKeyRow[]): Promise<RequestKeyRow[]> {
    const statement = this.#database.prepare(
      `select from_at, kind, key, count, ats from ${keysTable(dayOf(segmentFrom))}
       where from_at = ? and kind = ? and key = ?`,
    );
    return keys.flatMap(({ kind, key }) => {
      const row = statement.get(segmentFrom, kind, key) as unknown as RequestKeyRow | undefined;
      return row === undefined ? [] : [row];
    });
  }

  async writeKeys(keys: readonly RequestKeyRow[]): Promise<void> {
    const first = keys[0];
    if (first === undefined) return;
    const statement = this.#database.prepare(
      `insert into ${keysTable(dayOf(first.from_at))} (from_at, kind, key, count, ats) values (?, ?, ?, ?, ?)
       on conflict (from_at, kind, key) do update set count = excluded.count, ats = excluded.ats`,
    );
    for (const { from_at, kind, key, count, ats } of keys) statement.run(from_at, kind, key, count, ats);
  }

  async writeRollUps({ hours, days, sharing }: RollUps): Promise<void> {
    write(this.#database, hourTable, hours);
    write(this.#database, hourUniquesTable, hours);
    write(this.#database, dayTable, days);
    write(this.#database, licenseDayTable, sharing);
  }

  async dropDay(day: number): Promise<void> {
    const bounds = [startOfDay(day), startOfDay(day + 1)] as const;
    this.#days.delete(day);
    for (const statement of dropDay(day)) this.#database.exec(statement);
    this.#database.prepare("delete from request_segments where from_at >= ? and from_at < ?").run(...bounds);
    this.#database.prepare("delete from request_days where day = ?").run(day);
    this.#database.exec(forgetCuts);
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
}

/** SQLite knows $1 as a name and not as a number. */
function numbered(statement: string): string {
  return statement.replace(/\$(?=\d)/g, "?");
}

function bound(value: LogValue): SQLInputValue {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

const maxDaysPrepared = 4;

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
