import type { DatabaseSync, StatementSync } from "node:sqlite";

/** A statement, and whether it returns rows. */
interface Prepared {
  readonly statement: StatementSync;
  readonly gives: boolean;
}

const maxCached = 300;
/** A literal list of hundreds of values is large and rarely reused. */
const longestCached = 4_000;

/** Caches the most recently used statements: preparing one takes longer than running most of them. */
export class StatementCache {
  readonly #database: DatabaseSync;
  readonly #cached = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  for(sql: string): Prepared {
    const known = this.#cached.get(sql);
    if (known !== undefined) {
      this.#cached.delete(sql);
      this.#cached.set(sql, known);
      return known;
    }
    const statement = this.#database.prepare(sql);
    const prepared = { statement, gives: statement.columns().length > 0 };
    if (sql.length > longestCached) return prepared;
    this.#cached.set(sql, prepared);
    for (const oldest of this.#cached.keys()) {
      if (this.#cached.size <= maxCached) break;
      this.#cached.delete(oldest);
    }
    return prepared;
  }
}
