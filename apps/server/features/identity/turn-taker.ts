/**
 * Runs one piece of heavy work at a time. Work of known people goes ahead of the rest and has a queue of its own, so
 * that a crowd of strangers does not keep them out. While others wait, it rests after each as long as the work took, so that it
 * never takes more than half of a core, however many ask.
 */
export class TurnTaker {
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

  /** The result, or null, at once, when too many are waiting already. */
  take<T>(work: () => Promise<T>, isAhead: boolean): Promise<T> | null {
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
