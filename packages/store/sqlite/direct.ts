import type { DatabaseSync } from "node:sqlite";
import type { CompiledQuery, DatabaseConnection, Driver, Kysely, QueryResult } from "kysely";
import type { Tables } from "../tables.ts";
import type { SlowStatementObserver } from "../threads/slow-statements.ts";
import type { WriteLock } from "../threads/write-lock.ts";
import { kyselyWith, run, StatementCache } from "./dialect.ts";
import { rollback, storageError } from "./errors.ts";

interface Options {
  readonly writer: DatabaseSync;
  readonly reader: DatabaseSync;
  readonly lock: WriteLock;
  readonly flush: () => Promise<void>;
  readonly slow?: SlowStatementObserver | undefined;
}

/**
 * A Kysely whose writes all queue with the other writers. Reads use the read-only connection, see committed data and
 * never make a validation wait.
 */
export function directKysely(options: Options): Kysely<Tables> {
  const { writer, reader } = options;
  const statements = { writing: new StatementCache(writer), reading: new StatementCache(reader) };
  return kyselyWith(new DirectDriver({ ...options, ...statements }));
}

interface Parts extends Options {
  readonly writing: StatementCache;
  readonly reading: StatementCache;
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
  /** Releases the write lock; null outside a transaction. */
  #giveBack: (() => void) | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { writing, reading, lock, flush, slow } = this.#parts;
    if (this.#giveBack !== null) return run<R>(writing, query, slow);
    if (query.query.kind === "SelectQueryNode") return run<R>(reading, query, slow);
    const result = await lock.hold(async () => run<R>(writing, query, slow));
    await lasting(flush);
    return result;
  }

  // biome-ignore lint/correctness/useYield: there is nothing to give before it fails.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Nothing is streamed from here. Read it from the store's reads.");
  }

  begin(): Promise<void> {
    const { writer, lock } = this.#parts;
    return new Promise((begun, failed) => {
      const write = async () => {
        writer.exec("begin immediate");
        await new Promise<void>((giveBack) => {
          this.#giveBack = giveBack;
          begun();
        });
      };
      lock.hold(write).catch((error) => failed(storageError(error)));
    });
  }

  async commit(): Promise<void> {
    // If this fails, a rollback follows.
    try {
      this.#parts.writer.exec("commit");
    } catch (error) {
      throw storageError(error);
    }
    this.#end();
    await lasting(this.#parts.flush);
  }

  async rollback(): Promise<void> {
    rollback(this.#parts.writer);
    this.#end();
  }

  #end(): void {
    this.#giveBack?.();
    this.#giveBack = null;
  }
}

async function lasting(flush: () => Promise<void>): Promise<void> {
  try {
    await flush();
  } catch (error) {
    throw storageError(error);
  }
}
