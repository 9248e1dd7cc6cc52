/**
 * Runs one piece of heavy work at a time. While others wait, it rests after each as long as the work took, so that it
 * never takes more than half of a core, however many ask.
 */
export class TurnTaker {
  readonly #longestQueue: number;
  readonly #waiting: (() => Promise<void>)[] = [];
  #isBusy = false;

  constructor(longestQueue: number) {
    this.#longestQueue = longestQueue;
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.#longestQueue;
  }

  /** The result, or null, at once, when too many are waiting already. */
  take<T>(work: () => Promise<T>): Promise<T> | null {
    if (this.isFull) return null;
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => work().then(resolve, reject));
      void this.#next();
    });
  }

  async #next(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) {
      const startedMs = performance.now();
      await work();
      if (this.#waiting.length > 0) await rest(performance.now() - startedMs);
    }
    this.#isBusy = false;
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
