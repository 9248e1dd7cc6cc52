import { errorSentence } from "../errors/sentence.ts";
import type { SqliteFiles } from "./files.ts";
import type { IndexedChanges } from "./text-index.ts";
import { TextIndexFile } from "./text-index-file.ts";

interface UpkeepObserver {
  /** Records in the main database what the text index has applied. */
  note(taken: IndexedChanges): Promise<void>;
  trouble(reason: string): void;
}

const checkEveryMs = 200;
const afterTroubleMs = 5_000;
/** While much is being written, the index pauses as long as it works: searches also cover what is not in it yet. */
const restPerWork = 1;

/** Keeps the text index up to date, one batch of licenses at a time, between the other work of this thread. */
export class TextIndexUpkeep {
  readonly #index: TextIndexFile;
  readonly #observer: UpkeepObserver;
  #next: ReturnType<typeof setTimeout> | undefined;
  #working: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(files: SqliteFiles, observer: UpkeepObserver) {
    this.#observer = observer;
    this.#index = new TextIndexFile(files, (reason) => observer.trouble(reason));
    this.#workAfter(0);
  }

  /** Null if there are more than `most`, or if no index can tell quickly. */
  find(organizationId: string, words: readonly string[], most: number): string[] | null {
    return this.#isClosed ? null : this.#index.find(organizationId, words, most);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#next);
    await this.#working;
    this.#index.close();
  }

  #workAfter(ms: number): void {
    this.#next = setTimeout(() => {
      this.#working = this.#work();
    }, ms);
    this.#next.unref();
  }

  async #work(): Promise<void> {
    const startedMs = performance.now();
    const taken = this.#index.takeIn();
    let restMs = this.#index.isWhole ? restPerWork * (performance.now() - startedMs) : 0;
    if (taken === null) restMs = this.#index.isTroubled ? afterTroubleMs : checkEveryMs;
    else {
      try {
        await this.#observer.note(taken);
      } catch (error) {
        // The same licenses are processed again, with the same result.
        if (!this.#isClosed) this.#observer.trouble(errorSentence(error));
        restMs = afterTroubleMs;
      }
    }
    if (!this.#isClosed) this.#workAfter(restMs);
  }
}
