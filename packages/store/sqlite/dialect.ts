import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Tables } from "../tables.ts";
import { observeSlow, type SlowStatementObserver } from "../threads/slow-statements.ts";
import { storageError } from "./errors.ts";

/** A Kysely that runs each statement immediately. Transactions are opened on the database itself. */
export function kyselyOver(database: DatabaseSync, slow?: SlowStatementObserver): Kysely<Tables> {
  const statements = new StatementCache(database);
  return kyselyWith(
    new OneConnection({ executeQuery: async (query) => run(statements, query, slow), streamQuery }),
  );
}

/** A Kysely that generates SQLite's dialect and runs it with this driver. */
export function kyselyWith(driver: Driver): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

/** Everyone uses the same connection, which has no transactions. */
class OneConnection implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    throw new Error("There are no transactions here. Use the store's own.");
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

export function run<R>(
  statements: StatementCache,
  { sql, parameters }: CompiledQuery,
  slow?: SlowStatementObserver,
): QueryResult<R> {
  const startMs = performance.now();
  try {
    const { statement, gives } = statements.for(sql);
    const values = parameters as SQLInputValue[];
    if (gives) return { rows: statement.all(...values) as R[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  } catch (error) {
    throw storageError(error);
  } finally {
    observeSlow(slow, sql, startMs);
  }
}

function streamQuery(): never {
  throw new Error("Nothing is streamed from here. Read it a page at a time.");
}

/** A statement, and whether it returns rows. */
interface Prepared {
  readonly statement: StatementSync;
  readonly gives: boolean;
}

const maxCached = 300;
/** A literal list of hundreds of values is large and rarely reused. */
const maxCachedLength = 4_000;

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
    if (sql.length > maxCachedLength) return prepared;
    this.#cached.set(sql, prepared);
    for (const oldest of this.#cached.keys()) {
      if (this.#cached.size <= maxCached) break;
      this.#cached.delete(oldest);
    }
    return prepared;
  }
}
