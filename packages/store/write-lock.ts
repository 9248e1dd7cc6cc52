/** Lets one at a time write, in the order in which they came. */
export interface Turns {
  /** Whether somebody writes, or waits for it. */
  readonly busy: boolean;
  /** How long those who wrote kept the others waiting. */
  readonly holds: HoldTimes;
  hold<T>(work: () => Promise<T>): Promise<T>;
}

/** Whoever holds the lock longer makes validations wait longer than they should. */
export const holdLimitMs = 100;

/** How often the lock was held, how often for longer than the limit, and how long at most. */
export interface HoldTimes {
  readonly count: number;
  readonly overLimit: number;
  readonly longestMs: number;
}

export class WriteLock implements Turns {
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;
  #holds = { count: 0, overLimit: 0, longestMs: 0 };

  get busy(): boolean {
    return this.#waiting > 0;
  }

  get holds(): HoldTimes {
    return { ...this.#holds };
  }

  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const before = this.#tail;
    let release = () => {};
    this.#tail = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    const startMs = performance.now();
    try {
      return await work();
    } finally {
      this.#measured(performance.now() - startMs);
      this.#waiting -= 1;
      release();
    }
  }

  #measured(ms: number): void {
    this.#holds.count += 1;
    if (ms > holdLimitMs) this.#holds.overLimit += 1;
    if (ms > this.#holds.longestMs) this.#holds.longestMs = ms;
  }
}
