import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { CompiledQuery, Kysely } from "kysely";
import { threadFile } from "../built.ts";
import { StorageUnavailable } from "../problem.ts";
import type { Answer, Given, ReadingName } from "../readings.ts";
import { sentence } from "../sentence.ts";
import type { Tables } from "../tables.ts";
import { kyselyWith, OneConnection, streamQuery } from "./dialect.ts";
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
  #noting: Promise<void> = Promise.resolve();

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

  async answer<N extends ReadingName>(name: N, given: Given<N>): Promise<Answer<N>> {
    return (await this.#ask((number) => ({ kind: "reading", number, name, given }))) as Answer<N>;
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
    await this.#noting;
  }

  #begin(): void {
    const thread = new Worker(threadFile("reading-thread", import.meta.url), { workerData: this.#files });
    thread.on("message", (text: string) => this.#hear(JSON.parse(text)));
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
        // Not noted, it is taken in again: the index then says the same as before.
        if (this.#closing === null) this.#noting = this.#note(message);
        break;
      case "trouble":
        this.#observer.trouble(message.message);
        break;
      case "closed":
        this.#closing?.resolve();
        break;
    }
  }

  async #note(taken: Taken): Promise<void> {
    try {
      await this.#observer.note(taken);
    } catch (error) {
      this.#observer.trouble(sentence(error));
    }
    if (this.#closing === null) this.#post({ kind: "noted" });
  }

  #answered(number: number): PromiseWithResolvers<unknown> | undefined {
    const answer = this.#waiting.get(number);
    this.#waiting.delete(number);
    return answer;
  }

  /** As text, which is quicker to hand over than an object. */
  #post(message: ToReading): void {
    this.#thread?.postMessage(JSON.stringify(message));
  }
}

/** A Kysely that reads in the room. */
export function kyselyIn(room: ReadingRoom): Kysely<Tables> {
  return kyselyWith(
    new OneConnection({
      executeQuery: async <R>({ sql, parameters }: CompiledQuery) => ({
        rows: (await room.read(sql, parameters)) as R[],
      }),
      streamQuery,
    }),
  );
}
