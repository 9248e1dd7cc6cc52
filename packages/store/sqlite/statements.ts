import type { DatabaseSync, StatementSync } from "node:sqlite";

/** A statement, and whether it returns rows. */
export interface Prepared {
  readonly statement: StatementSync;
  readonly gives: boolean;
}

const mostKept = 300;
/** A literal list of hundreds of values is large and rarely reused. */
const longestKept = 4_000;

/** Caches the most recently used statements: preparing one takes longer than running most of them. */
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
