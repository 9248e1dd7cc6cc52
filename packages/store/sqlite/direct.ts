import type { DatabaseSync, SQLInputValue } from "node:sqlite";
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
import type { WriteLock } from "../write-lock.ts";

interface Parts {
  readonly writer: DatabaseSync;
  readonly reader: DatabaseSync;
  readonly lock: WriteLock;
  readonly flush: () => Promise<void>;
}

/**
 * A Kysely whose every statement takes its turn among the writers. Reading takes no turn: it sees what is committed,
 * from the connection that only reads, and so never makes a validation wait.
 */
export function directKysely(parts: Parts): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DirectDriver(parts),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

class DirectDriver implements Driver {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DirectConnection> {
    return new DirectConnection(this.#parts);
  }

  beginTransaction(connection: DirectConnection): Promise<void> {
    return connection.begin();
  }

  commitTransaction(connection: DirectConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction(connection: DirectConnection): Promise<void> {
    return connection.rollback();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

class DirectConnection implements DatabaseConnection {
  readonly #parts: Parts;
  /** Gives the turn back; null outside a transaction. */
  #giveBack: (() => void) | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, reader, lock, flush } = this.#parts;
    if (this.#giveBack !== null) return run<R>(writer, query);
    if (query.query.kind === "SelectQueryNode") return run<R>(reader, query);
    const result = await lock.hold(async () => run<R>(writer, query));
    await flush();
    return result;
  }

  // biome-ignore lint/correctness/useYield: there is nothing to give before it fails.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Nothing is streamed from here. Read it from the store's reads.");
  }

  begin(): Promise<void> {
    const { writer, lock } = this.#parts;
    return new Promise((begun, failed) => {
      const turn = async () => {
        writer.exec("begin immediate");
        await new Promise<void>((giveBack) => {
          this.#giveBack = giveBack;
          begun();
        });
      };
      lock.hold(turn).catch(failed);
    });
  }

  async commit(): Promise<void> {
    // When this fails, a rollback follows.
    this.#parts.writer.exec("commit");
    this.#end();
    await this.#parts.flush();
  }

  async rollback(): Promise<void> {
    try {
      this.#parts.writer.exec("rollback");
    } catch {
      // Some failures, a full disk among them, have already ended the transaction.
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#giveBack?.();
    this.#giveBack = null;
  }
}

function run<R>(database: DatabaseSync, { sql, parameters }: CompiledQuery): QueryResult<R> {
  const statement = database.prepare(sql);
  if (statement.columns().length > 0)
    return { rows: statement.all(...(parameters as SQLInputValue[])) as R[] };
  const { changes } = statement.run(...(parameters as SQLInputValue[]));
  return { rows: [], numAffectedRows: BigInt(changes) };
}
