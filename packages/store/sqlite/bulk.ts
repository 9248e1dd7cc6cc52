import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Bulk, Many } from "../bulk.ts";
import type { Tables } from "../tables.ts";
import type { Turns } from "../write-lock.ts";
import { openDatabase } from "./files.ts";

/** SQLite takes at most 32,766 values in one statement. */
const mostValues = 32_000;
const largestGroup = 512;
/** After how many pages of the log whoever commits copies it: SQLite's own number, and one for many writes in a row. */
const pagesUsually = 1_000;
const pagesInBulk = 8_000;
/** After how many it is copied between two of many writes. */
const pagesBetween = 3_000;

/**
 * Many rows in one statement, prepared once: what a statement costs by itself, and what indexes by full text do at the
 * end of each, is then paid once for hundreds of rows.
 */
export class SqliteBulk implements Bulk {
  readonly #writer: DatabaseSync;
  readonly #path: string;
  readonly #turns: Turns;
  readonly #statements = new Map<string, StatementSync>();
  #expecting = 0;

  constructor(writer: DatabaseSync, path: string, turns: Turns) {
    this.#writer = writer;
    this.#path = path;
    this.#turns = turns;
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
    // Groups halve in size, so that a few statements fit every number of rows.
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

  among(values: readonly string[]): RawBuilder<string> {
    return sql`(select value from json_each(${JSON.stringify(values)}))`;
  }

  /**
   * Lets more of the log come together before it is copied into the database file: many rows dirty the same pages of
   * the indexes again and again. And copies it where nobody waits for it.
   */
  expectMany(): Many {
    this.#expecting += 1;
    this.#writer.exec(`pragma wal_autocheckpoint = ${pagesInBulk}`);
    // A connection of its own: on the other one somebody may be in the middle of a transaction.
    let copier: DatabaseSync | null = null;
    return {
      between: () => {
        copier ??= openDatabase(this.#path);
        return this.#copyLog(copier);
      },
      over: () => {
        copier?.close();
        this.#expecting -= 1;
        if (this.#expecting === 0) this.#writer.exec(`pragma wal_autocheckpoint = ${pagesUsually}`);
      },
    };
  }

  /** First most of it, while others write; then, in a turn, what they wrote meanwhile. Only then the log begins anew. */
  async #copyLog(copier: DatabaseSync): Promise<void> {
    if (uncopied(copier, "noop") < pagesBetween) return;
    if (uncopied(copier, "passive") > 0) await this.#turns.hold(async () => uncopied(copier, "passive"));
  }

  /** Whoever writes, writes alone. */
  async lockLicenses(): Promise<void> {}

  #statement(table: string, columns: readonly string[], rows: number, onConflict?: string): StatementSync {
    const key = `${table} ${rows} ${columns.join()} ${onConflict ?? ""}`;
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    const places = `(${columns.map(() => "?").join()})`;
    const statement = this.#writer.prepare(
      `insert into ${table} (${columns.map((column) => `"${column}"`).join()})
        values ${Array(rows).fill(places).join()}${onConflict === undefined ? "" : ` on conflict ${onConflict}`}`,
    );
    this.#statements.set(key, statement);
    return statement;
  }
}

function groupFor(columns: number): number {
  let size = largestGroup;
  while (size * columns > mostValues) size >>= 1;
  return size;
}

/** How many pages of the log are not in the database file yet, after copying or without. */
function uncopied(database: DatabaseSync, how: "noop" | "passive"): number {
  const { log, checkpointed } = database.prepare(`pragma wal_checkpoint(${how})`).get() as {
    log: number;
    checkpointed: number;
  };
  return log - checkpointed;
}
