import type { DatabaseSync, StatementSync } from "node:sqlite";

/** A statement, and whether it gives rows. */
export interface Prepared {
  readonly statement: StatementSync;
  readonly gives: boolean;
}

const mostKept = 300;
/** A list of hundreds of values in its own words is hardly asked for again, and large. */
const longestKept = 4_000;

/** Keeps the statements that were asked for last: to prepare one takes longer than to run most of them. */
export class KeptStatements {
  readonly #database: DatabaseSync;
  readonly #kept = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  for(sql: string): Prepared {
    const known = this.#kept.get(sql);
    if (known !== undefined) {
      this.#kept.delete(sql);
      this.#kept.set(sql, known);
      return known;
    }
    const statement = this.#database.prepare(sql);
    const prepared = { statement, gives: statement.columns().length > 0 };
    if (sql.length > longestKept) return prepared;
    this.#kept.set(sql, prepared);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostKept) break;
      this.#kept.delete(oldest);
    }
    return prepared;
  }
}
