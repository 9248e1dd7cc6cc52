import { createHash } from "node:crypto";
import type { AppliedMigration } from "./migrations/migration.ts";

/** Both databases store nothing else: see `Tables`. */
export type CopyValue = string | number | null;
/** The values of a row, in the order of the table's columns. */
export type CopyRow = readonly CopyValue[];

/** A table whose rows are copied. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly CopiedColumn[];
  /** The names of the columns of its primary key. */
  readonly key: readonly string[];
}

interface CopiedColumn {
  readonly name: string;
  /** `text`, `integer` or `bigint`. */
  readonly type: string;
}

/** One end of a copy, as it is read: each kind of database has one. */
export interface CopyReader {
  readonly kind: "sqlite" | "postgres";
  migrations(): Promise<readonly AppliedMigration[]>;
  storedDataKey(): Promise<string | null>;
  tables(): Promise<readonly CopiedTable[]>;
  /** The days of the request log. */
  days(): Promise<readonly number[]>;
  /** The next rows after a row, in the order of the key. */
  page(table: CopiedTable, after: CopyRow | null, limit: number): Promise<readonly CopyRow[]>;
  /** From now on, everything is read as it is now, until the next call. */
  takeSnapshot(): Promise<void>;
  close(): Promise<void>;
}

/** The end that is written. Each method is one transaction. */
export interface CopyWriter extends CopyReader {
  /** What the unfinished copy in it is a copy of; null if there is none. */
  unfinishedCopyOf(): Promise<string | null>;
  /** The name of a table with rows that a new database does not have; null if there is none. */
  occupiedTable(): Promise<string | null>;
  /** Makes it an unfinished copy, which no server opens, and sets everything aside that slows writing down. */
  begin(source: string): Promise<void>;
  /** Before each attempt: creates the tables of these days of the request log, and removes those of other days. */
  prepare(days: readonly number[]): Promise<void>;
  progress(table: string): Promise<CopyProgress>;
  /** Adds rows, and stores how far the copy is. */
  write(table: CopiedTable, rows: readonly CopyRow[], progress: CopyProgress): Promise<void>;
  /** Removes the rows of a table, to copy it again. */
  clear(table: CopiedTable): Promise<void>;
  /** Adds what was set aside and what is derived from the rows. From then on, servers can open it. */
  finish(): Promise<void>;
}

export interface CopyProgress {
  /** The last row that was written. */
  readonly last: CopyRow | null;
  readonly rows: number;
  readonly isDone: boolean;
}

export const noProgress: CopyProgress = { last: null, rows: 0, isDone: false };

/** Derived from other rows, or about one kind of database only. The copy makes them again. */
const derivedTables = new Set(["license_counts", "license_count_changes", "license_search_changes"]);
/** Not the installation's data. `request_days` is written with the tables of the days. */
const administrativeTables = new Set(["schema_migrations", "copy_state", "copy_progress"]);

export function isCopied(table: string): boolean {
  return !derivedTables.has(table) && !administrativeTables.has(table) && !table.startsWith("sqlite_");
}

/** A day's size on disk is about the database that it is in. */
export function isCopiedColumn(table: string, column: string): boolean {
  return table !== "request_days" || column !== "deleted_bytes";
}

/** Which rows of a table are the installation's: the text index and the last probe belong to one database. */
export function conditionFor(table: string): string {
  return table === "platform_state" ? "name not in ('license_search', 'probed')" : "1 = 1";
}

/** Tables that have rows before the first person uses the installation. */
export const tablesFilledAtStart: ReadonlySet<string> = new Set([
  ...["platform_state", "plans", "request_log_state", "job_runs"],
]);

export function columnList(table: CopiedTable): string {
  return table.columns.map(({ name }) => name).join();
}

export function keyOf({ columns, key }: CopiedTable, row: CopyRow): CopyRow {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);
}

/** The number of rows of a table and a checksum of them that does not depend on their order. */
export class RowDigest {
  rows = 0;
  readonly #sums: [number, number] = [0, 0];

  add(row: CopyRow): void {
    this.rows += 1;
    const hash = createHash("sha256").update(JSON.stringify(row)).digest();
    for (const part of [0, 1] as const)
      this.#sums[part] = (this.#sums[part] + hash.readUIntBE(part * 6, 6)) % 2 ** 48;
  }

  get checksum(): string {
    return this.#sums.map((sum) => sum.toString(16).padStart(12, "0")).join("");
  }
}
