/**
 * Runs one expensive task at a time. Tasks of known users go first and have a separate queue, so that a crowd of
 * anonymous clients does not keep them out. While others wait, it pauses after each task as long as the task took, so
 * that it never uses more than half of a core, however many are waiting.
 */
export class ThrottledQueue {
  readonly #longestQueue: number;
  readonly #longestAhead: number;
  readonly #ahead: (() => Promise<void>)[] = [];
  readonly #waiting: (() => Promise<void>)[] = [];
  #isBusy = false;

  constructor(longestQueue: number, longestAhead: number) {
    this.#longestQueue = longestQueue;
    this.#longestAhead = longestAhead;
  }

  isFull(isAhead: boolean): boolean {
    return isAhead ? this.#ahead.length >= this.#longestAhead : this.#waiting.length >= this.#longestQueue;
  }

  /** The result, or null, immediately, if too many are already waiting. */
  add<T>(work: () => Promise<T>, isAhead: boolean): Promise<T> | null {
    if (this.isFull(isAhead)) return null;
    return new Promise((resolve, reject) => {
      (isAhead ? this.#ahead : this.#waiting).push(() => work().then(resolve, reject));
      void this.#next();
    });
  }

  async #next(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let work = this.#shift(); work !== undefined; work = this.#shift()) {
      const startedMs = performance.now();
      await work();
      if (this.#ahead.length + this.#waiting.length > 0) await rest(performance.now() - startedMs);
    }
    this.#isBusy = false;
  }

  #shift(): (() => Promise<void>) | undefined {
    return this.#ahead.shift() ?? this.#waiting.shift();
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
