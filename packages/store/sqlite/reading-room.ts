import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";
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
import { StorageUnavailable } from "../problem.ts";
import { sentence } from "../sentence.ts";
import type { Tables } from "../tables.ts";
import type { SqliteFiles } from "./files.ts";
import type { FromReading, ToReading } from "./reading-thread.ts";
import type { Taken } from "./text-index.ts";

export interface RoomObserver {
  /** Notes in the main database what the text index has taken in. */
  note(taken: Taken): Promise<void>;
  trouble(reason: string): void;
}

const beginAgainMs = 5_000;

/**
 * A thread that reads what takes long, so that nobody's list or search makes a validation wait, and that keeps the
 * text index. If it fails, what was asked of it fails with it, and it begins again.
 */
export class ReadingRoom {
  readonly #files: SqliteFiles;
  readonly #observer: RoomObserver;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #thread: Worker | null = null;
  #asked = 0;
  #again: ReturnType<typeof setTimeout> | undefined;
  #closing: PromiseWithResolvers<void> | null = null;

  constructor(files: SqliteFiles, observer: RoomObserver) {
    this.#files = files;
    this.#observer = observer;
    this.#begin();
  }

  async read(sql: string, values: readonly unknown[]): Promise<unknown[]> {
    return (await this.#ask((number) => ({
      kind: "read",
      number,
      sql,
      values: values as SQLInputValue[],
    }))) as unknown[];
  }

  async find(organizationId: string, term: string, most: number): Promise<string[] | null> {
    return (await this.#ask((number) => ({ kind: "find", number, organizationId, term, most }))) as
      | string[]
      | null;
  }

  async close(): Promise<void> {
    clearTimeout(this.#again);
    const thread = this.#thread;
    if (thread === null) return;
    this.#closing = Promise.withResolvers();
    this.#post({ kind: "close" });
    await this.#closing.promise;
    await thread.terminate();
  }

  #begin(): void {
    const thread = new Worker(new URL("./reading-thread.ts", import.meta.url), { workerData: this.#files });
    thread.on("message", (message: FromReading) => this.#hear(message));
    thread.on("error", (error) => this.#end(sentence(error)));
    thread.on("exit", () => this.#end("The thread that reads has ended."));
    this.#thread = thread;
  }

  #end(reason: string): void {
    if (this.#thread === null) return;
    this.#thread = null;
    for (const { reject } of this.#waiting.values()) reject(new StorageUnavailable(reason));
    this.#waiting.clear();
    this.#closing?.resolve();
    if (this.#closing !== null) return;
    this.#observer.trouble(reason);
    this.#again = setTimeout(() => this.#begin(), beginAgainMs);
    this.#again.unref();
  }

  #ask(message: (number: number) => ToReading): Promise<unknown> {
    if (this.#thread === null || this.#closing !== null)
      return Promise.reject(new StorageUnavailable("The thread that reads is not there."));
    this.#asked += 1;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#asked, answer);
    this.#post(message(this.#asked));
    return answer.promise;
  }

  #hear(message: FromReading): void {
    switch (message.kind) {
      case "answer":
        this.#answered(message.number)?.resolve(message.value);
        break;
      case "failure":
        this.#answered(message.number)?.reject(new Error(message.message));
        break;
      case "taken":
        this.#observer
          .note(message)
          .catch((error) => this.#observer.trouble(sentence(error)))
          // Not noted, it is taken in again: the index then says the same as before.
          .finally(() => this.#post({ kind: "noted" }));
        break;
      case "trouble":
        this.#observer.trouble(message.message);
        break;
      case "closed":
        this.#closing?.resolve();
        break;
    }
  }

  #answered(number: number): PromiseWithResolvers<unknown> | undefined {
    const answer = this.#waiting.get(number);
    this.#waiting.delete(number);
    return answer;
  }

  #post(message: ToReading): void {
    this.#thread?.postMessage(message);
  }
}

/** A Kysely that reads in the room. */
export function kyselyIn(room: ReadingRoom): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new RoomDriver(room),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

class RoomDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(room: ReadingRoom) {
    this.#connection = {
      executeQuery: async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => ({
        rows: (await room.read(sql, parameters)) as R[],
      }),
      streamQuery: () => {
        throw new Error("Nothing is streamed from here. Read it a page at a time.");
      },
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    throw new Error("There are no transactions here: it is for reading, a statement at a time.");
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}
