import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import {
  type CopiedTable,
  type CopyProgress,
  type CopyReader,
  type CopyRow,
  type CopyValue,
  type CopyWriter,
  columnList,
  conditionFor,
  isCopied,
  isCopiedColumn,
  keyOf,
  noProgress,
  tablesFilledAtStart,
} from "../copy-format.ts";
import { StoreProblem } from "../errors/problem.ts";
import { countColumns, countDifferences } from "../migrations/license-counts.ts";
import { type AppliedMigration, appliedMigrationsQuery, unfinishedCopy } from "../migrations/migration.ts";
import { createDay, dropDay } from "../request-log/tables.ts";
import { rollback } from "./errors.ts";
import { openDatabase, prepareFolder, type SqliteFiles, sqliteFiles, takeOwnership } from "./files.ts";
import { migrateFolder } from "./migrate.ts";

/** No server can start on the folder before the copy is closed. */
export function openSqliteSource(folder: string): CopyReader {
  const files = sqliteFiles(folder);
  if (!existsSync(files.main) || !existsSync(files.journal))
    throw new StoreProblem(`There is no database in ${folder}. Name the data folder that contains it.`);
  return new SqliteCopyReader(files, takeOwnership(files));
}

/** Creates the database if there is none. */
export function openSqliteTarget(folder: string): CopyWriter {
  const files = sqliteFiles(folder);
  prepareFolder(folder);
  const release = takeOwnership(files);
  try {
    if (!existsSync(files.main) || !isUnfinished(files)) migrateFolder(folder, { isOwner: true });
    return new SqliteCopyWriter(files, release);
  } catch (error) {
    release();
    throw error;
  }
}

function isUnfinished(files: SqliteFiles): boolean {
  const database = openDatabase(files.main);
  try {
    return hasTable(database, "copy_state");
  } finally {
    database.close();
  }
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name) != null;
}

class SqliteCopyReader implements CopyReader {
  readonly kind = "sqlite";
  protected readonly main: DatabaseSync;
  protected readonly journal: DatabaseSync;
  readonly #release: () => void;
  /** Which file each table is in. */
  readonly #fileOf = new Map<string, DatabaseSync>();

  constructor(files: SqliteFiles, release: () => void) {
    this.#release = release;
    this.main = openDatabase(files.main);
    this.journal = openDatabase(files.journal);
  }

  async migrations(): Promise<AppliedMigration[]> {
    return [this.main, this.journal].flatMap((database) =>
      hasTable(database, "schema_migrations")
        ? (database.prepare(appliedMigrationsQuery).all() as unknown as AppliedMigration[])
        : [],
    );
  }

  async storedDataKey(): Promise<string | null> {
    const row = this.main.prepare("select value from platform_state where name = 'data_key'").get();
    return row === undefined ? null : String(row.value);
  }

  async tables(): Promise<CopiedTable[]> {
    return [this.main, this.journal].flatMap((database) => {
      const names = database.prepare("select name from sqlite_master where type = 'table' order by name");
      return names
        .all()
        .map(({ name }) => String(name))
        .filter(isCopied)
        .map((name) => {
          this.#fileOf.set(name, database);
          return tableIn(database, name);
        });
    });
  }

  async days(): Promise<number[]> {
    return this.journal
      .prepare("select day from request_days order by day")
      .all()
      .map(({ day }) => Number(day));
  }

  async page(table: CopiedTable, after: CopyRow | null, limit: number): Promise<CopyRow[]> {
    const { name, key } = table;
    const next = after === null ? "" : `and (${key.join()}) > (${key.map(() => "?").join()})`;
    const rows = this.file(name)
      .prepare(
        `select ${columnList(table)} from ${name} where ${conditionFor(name)} ${next} order by ${key.join()} limit ?`,
      )
      .all(...(after === null ? [] : keyOf(table, after)), limit);
    return rows.map((row) => table.columns.map((column) => row[column.name] as CopyValue));
  }

  /** While it is read, nothing changes for this connection. */
  async takeSnapshot(): Promise<void> {
    for (const database of [this.main, this.journal]) {
      rollback(database);
      database.exec("begin");
      database.prepare("select count(*) from schema_migrations").get();
    }
  }

  async close(): Promise<void> {
    this.main.close();
    this.journal.close();
    this.#release();
  }

  protected file(table: string): DatabaseSync {
    return this.#fileOf.get(table) ?? (table.startsWith("request_") ? this.journal : this.main);
  }
}

/**
 * Progress is stored in the main file. A batch of the journal is committed before it, so a crash in between repeats the
 * batch, which then changes nothing.
 */
class SqliteCopyWriter extends SqliteCopyReader implements CopyWriter {
  constructor(files: SqliteFiles, release: () => void) {
    super(files, release);
    this.main.exec("pragma foreign_keys = off");
  }

  override async takeSnapshot(): Promise<void> {
    // Nobody else writes it.
  }

  async unfinishedCopyOf(): Promise<string | null> {
    if (!hasTable(this.main, "copy_state")) return null;
    return String(this.main.prepare("select value from copy_state where name = 'source'").get()?.value);
  }

  async occupiedTable(): Promise<string | null> {
    for (const { name } of await this.tables())
      if (!tablesFilledAtStart.has(name))
        if (this.file(name).prepare(`select 1 from ${name} limit 1`).get() !== undefined) return name;
    return null;
  }

  async begin(source: string): Promise<void> {
    const tables = await this.tables();
    inTransaction(this.main, () => {
      this.main.exec("create table copy_state (name text primary key, value text not null)");
      this.main.exec(
        "create table copy_progress (name text primary key, last text, row_count bigint not null, is_done integer not null)",
      );
      this.main
        .prepare("insert into schema_migrations (name, applied_at, oldest_release) values (?, ?, ?)")
        .run(unfinishedCopy, Date.now(), unfinishedCopy);
      const state = this.main.prepare("insert into copy_state (name, value) values (?, ?)");
      state.run("source", source);
      for (const { name } of tables) if (this.file(name) === this.main) this.main.exec(`delete from ${name}`);
      state.run("main", JSON.stringify(setAside(this.main)));
      state.run("journal", JSON.stringify(objectsOf(this.journal)));
    });
  }

  async prepare(days: readonly number[]): Promise<void> {
    const existing = await this.days();
    const tables = (await this.tables()).filter(({ name }) => this.file(name) === this.journal);
    const begun = new Set<string>();
    for (const { name } of tables) if ((await this.progress(name)).rows > 0) begun.add(name);
    inTransaction(this.journal, () => {
      setAside(this.journal);
      // What the new database had, or what a batch wrote whose progress was not stored.
      for (const { name } of tables)
        if (!begun.has(name) && name !== "request_days") this.journal.exec(`delete from ${name}`);
      for (const day of existing.filter((day) => !days.includes(day))) {
        for (const statement of dropDay(day)) this.journal.exec(statement);
        this.journal.prepare("delete from request_days where day = ?").run(day);
      }
      for (const day of days.filter((day) => !existing.includes(day))) {
        for (const statement of createDay("sqlite", day)) this.journal.exec(statement);
        this.journal.prepare("insert into request_days (day) values (?)").run(day);
      }
    });
    await this.tables();
  }

  async progress(table: string): Promise<CopyProgress> {
    const row = this.main
      .prepare("select last, row_count, is_done from copy_progress where name = ?")
      .get(table);
    if (row === undefined) return noProgress;
    const last = row.last === null ? null : (JSON.parse(String(row.last)) as CopyRow);
    return { last, rows: Number(row.row_count), isDone: row.is_done === 1 };
  }

  async write(table: CopiedTable, rows: readonly CopyRow[], progress: CopyProgress): Promise<void> {
    const file = this.file(table.name);
    const insert = file.prepare(
      `insert or ignore into ${table.name} (${columnList(table)}) values (${table.columns.map(() => "?").join()})`,
    );
    const add = () => {
      for (const row of rows) insert.run(...row);
    };
    if (file === this.journal) inTransaction(file, add);
    inTransaction(this.main, () => {
      if (file === this.main) add();
      this.main
        .prepare(
          `insert into copy_progress (name, last, row_count, is_done) values (?, ?, ?, ?)
           on conflict (name) do update set last = excluded.last, row_count = excluded.row_count, is_done = excluded.is_done`,
        )
        .run(
          table.name,
          progress.last === null ? null : JSON.stringify(progress.last),
          progress.rows,
          progress.isDone ? 1 : 0,
        );
    });
  }

  async clear(table: CopiedTable): Promise<void> {
    inTransaction(this.main, () => {
      this.main.prepare("delete from copy_progress where name = ?").run(table.name);
      if (this.file(table.name) === this.main) this.main.exec(`delete from ${table.name}`);
    });
    if (this.file(table.name) === this.journal) this.journal.exec(`delete from ${table.name}`);
  }

  async finish(): Promise<void> {
    const noted = (name: string) =>
      JSON.parse(
        String(this.main.prepare("select value from copy_state where name = ?").get(name)?.value),
      ) as SchemaObject[];
    inTransaction(this.journal, () => restore(this.journal, noted("journal")));
    inTransaction(this.main, () => {
      this.main.exec(`delete from license_counts;
        insert into license_counts (${countColumns}, licenses) ${countDifferences}`);
      restore(this.main, noted("main"));
      const broken = this.main.prepare("pragma foreign_key_check").get();
      if (broken !== undefined)
        throw new StoreProblem(
          `The copy cannot be finished: a row of ${broken.table} belongs to a row of ${broken.parent} that does not exist.`,
        );
      this.main.exec("drop table copy_progress");
      this.main.exec("drop table copy_state");
      this.main.prepare("delete from schema_migrations where name = ?").run(unfinishedCopy);
    });
    for (const database of [this.journal, this.main])
      database.exec("analyze; pragma wal_checkpoint(truncate)");
  }
}

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** Triggers, which would change what is copied, and indexes, which are faster to create at the end. */
function objectsOf(database: DatabaseSync): SchemaObject[] {
  return database
    .prepare(
      "select type, name, sql from sqlite_master where type in ('trigger', 'index') and sql is not null",
    )
    .all() as unknown as SchemaObject[];
}

function setAside(database: DatabaseSync): SchemaObject[] {
  const objects = objectsOf(database);
  for (const { type, name } of objects) database.exec(`drop ${type} ${name}`);
  return objects;
}

function restore(database: DatabaseSync, objects: readonly SchemaObject[]): void {
  const existing = new Set(objectsOf(database).map(({ name }) => name));
  for (const { name, sql } of objects) if (!existing.has(name)) database.exec(sql);
}

function tableIn(database: DatabaseSync, name: string): CopiedTable {
  const columns = database
    .prepare("select name, type, pk, hidden from pragma_table_xinfo(?) order by cid")
    .all(name)
    .filter((column) => column.hidden === 0 && isCopiedColumn(name, String(column.name)));
  const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
  return {
    name,
    columns: columns.map((column) => ({
      name: String(column.name),
      type: String(column.type).toLowerCase(),
    })),
    key: key.map((column) => String(column.name)),
  };
}

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec("begin immediate");
  try {
    work();
    database.exec("commit");
  } catch (error) {
    rollback(database);
    throw error;
  }
}
