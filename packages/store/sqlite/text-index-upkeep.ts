import type { DatabaseSync } from "node:sqlite";
import { sentence } from "../sentence.ts";
import { openReader, type SqliteFiles } from "./files.ts";
import { type Taken, TextIndex } from "./text-index.ts";

export interface UpkeepObserver {
  /** Records in the main database what the text index has taken in. */
  note(taken: Taken): Promise<void>;
  trouble(reason: string): void;
}

const checkEveryMs = 200;
const afterTroubleMs = 5_000;
/** While much is being written, the index rests as long as it works: searches look through what is not in it yet. */
const restPerWork = 1;

/** Keeps the text index up to date, one batch of licenses at a time, between whatever else this thread does. */
export class TextIndexUpkeep {
  readonly #database: DatabaseSync;
  readonly #observer: UpkeepObserver;
  #index: TextIndex | null = null;
  #next: ReturnType<typeof setTimeout> | undefined;
  #working: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(files: SqliteFiles, observer: UpkeepObserver) {
    this.#observer = observer;
    this.#database = openReader(files);
    this.#database.prepare("attach database ? as search").run(files.search);
    // The index can be rebuilt at any time, so nothing waits until it is on the disk.
    this.#database.exec("pragma search.journal_mode = wal; pragma search.synchronous = normal");
    this.#workAfter(0);
  }

  /** Null when there are more than `most`, or when no index tells quickly. */
  find(organizationId: string, term: string, most: number): string[] | null {
    if (this.#isClosed) return null;
    return this.#index?.find(organizationId, term, most) ?? null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#next);
    await this.#working;
    this.#database.close();
  }

  #workAfter(ms: number): void {
    this.#next = setTimeout(() => {
      this.#working = this.#work();
    }, ms);
    this.#next.unref();
  }

  async #work(): Promise<void> {
    let restMs = 0;
    try {
      const startedMs = performance.now();
      const taken = this.#takeIn();
      const isWhole = this.#index?.isWhole === true;
      restMs = taken === null ? checkEveryMs : isWhole ? restPerWork * (performance.now() - startedMs) : 0;
      // If this fails, the same licenses are taken in again, and the index says the same as before.
      if (taken !== null) await this.#observer.note(taken);
    } catch (error) {
      if (!this.#isClosed) this.#observer.trouble(sentence(error));
      restMs = afterTroubleMs;
    }
    if (!this.#isClosed) this.#workAfter(restMs);
  }

  /** Null when there is nothing to do. */
  #takeIn(): Taken | null {
    this.#index ??= TextIndex.open(this.#database);
    if (this.#index !== null) return this.#index.takeIn();
    this.#index = TextIndex.make(this.#database);
    return this.#index.begun();
  }
}
