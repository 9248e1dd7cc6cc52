import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Bulk, BulkSession } from "../store.ts";
import type { Tables } from "../tables.ts";
import type { Checkpoints } from "./disk.ts";

/** SQLite accepts at most 32,766 values in one statement. */
const maxValues = 32_000;
const largestGroup = 512;

/**
 * Many rows per statement, prepared once: the overhead of a statement, and of full-text indexes at its end, is then
 * paid once for hundreds of rows.
 */
export class SqliteBulk implements Bulk {
  readonly #writer: DatabaseSync;
  readonly #checkpoints: Checkpoints;
  readonly #statements = new Map<string, StatementSync>();

  constructor(writer: DatabaseSync, checkpoints: Checkpoints) {
    this.#writer = writer;
    this.#checkpoints = checkpoints;
  }

  async insert(
    _db: Kysely<Tables>,
    table: string,
    rows: readonly object[],
    onConflict?: string,
  ): Promise<number> {
    const [first] = rows;
    if (first === undefined) return 0;
    const columns = Object.keys(first);
    let inserted = 0;
    let start = 0;
    // Group sizes halve, so that a few statements cover every number of rows.
    for (let size = groupFor(columns.length); size >= 1; size >>= 1) {
      while (rows.length - start >= size) {
        const values: SQLInputValue[] = [];
        for (let at = start; at < start + size; at++) {
          const row = rows[at] as Record<string, SQLInputValue>;
          for (const column of columns) values.push(row[column] ?? null);
        }
        const { changes } = this.#statement(table, columns, size, onConflict).run(...values);
        inserted += Number(changes);
        start += size;
      }
    }
    return inserted;
  }

  among(column: string, values: readonly string[]): RawBuilder<SqlBool> {
    return sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`;
  }

  beginSession(): BulkSession {
    return this.#checkpoints.beginSession();
  }

  /** A writer is always alone. */
  async lockLicenses(): Promise<void> {}

  #statement(table: string, columns: readonly string[], rows: number, onConflict?: string): StatementSync {
    const key = `${table} ${rows} ${columns.join()} ${onConflict ?? ""}`;
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    const placeholders = `(${columns.map(() => "?").join()})`;
    const statement = this.#writer.prepare(
      `insert into ${table} (${columns.map((column) => `"${column}"`).join()})
        values ${Array(rows).fill(placeholders).join()}${onConflict === undefined ? "" : ` on conflict ${onConflict}`}`,
    );
    this.#statements.set(key, statement);
    return statement;
  }
}

function groupFor(columns: number): number {
  let size = largestGroup;
  while (size * columns > maxValues) size >>= 1;
  return size;
}
