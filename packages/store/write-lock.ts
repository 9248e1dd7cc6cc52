import type { MessagePort } from "node:worker_threads";

/** Whoever holds the lock longer makes validations wait longer than they should. */
export const holdLimitMs = 100;

/** How often the lock was held, how often for longer than the limit, and how long at most. */
export interface HoldTimes {
  readonly count: number;
  readonly overLimit: number;
  readonly longestMs: number;
}

/** What a worker needs to take the lock by turns with the thread that validates. The port has to be transferred. */
export interface SharedWriteLock {
  readonly memory: SharedArrayBuffer;
  readonly port: MessagePort;
}

/** What one thread does to take the lock from another. */
export interface CrossThreadLock {
  /** Shared by both. Its first eight bytes are the lock's own. */
  readonly memory: SharedArrayBuffer;
  /** Takes it if that needs no waiting, and says whether it did. */
  tryAcquire(): boolean;
  /** Null when it is acquired already. */
  acquire(): Promise<void> | null;
  release(): void;
}

/** Lets one at a time write: those of this thread in the order in which they came, and this thread by turns with another. */
export class WriteLock {
  readonly #threads: CrossThreadLock;
  readonly #times: Float64Array;
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(threads: CrossThreadLock) {
    this.#threads = threads;
    this.#times = new Float64Array(threads.memory, 8, 3);
  }

  /** Of both threads. */
  get holds(): HoldTimes {
    const [count = 0, overLimit = 0, longestMs = 0] = this.#times;
    return { count, overLimit, longestMs };
  }

  /** Takes the lock if nobody has it or waits for it here, and says whether it did. Then `release` has to follow. */
  tryAcquire(): boolean {
    return this.#waiting === 0 && this.#threads.tryAcquire();
  }

  release(): void {
    this.#threads.release();
  }

  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const before = this.#tail;
    let next = () => {};
    this.#tail = new Promise((resolve) => {
      next = resolve;
    });
    await before;
    try {
      const passedOn = this.#threads.acquire();
      if (passedOn !== null) await passedOn;
      const startMs = performance.now();
      try {
        return await work();
      } finally {
        this.#measured(performance.now() - startMs);
        this.#threads.release();
      }
    } finally {
      this.#waiting -= 1;
      next();
    }
  }

  /** Written by the thread that holds the lock, so the two never write at once. */
  #measured(ms: number): void {
    const { count, overLimit, longestMs } = this.holds;
    this.#times[0] = count + 1;
    if (ms > holdLimitMs) this.#times[1] = overLimit + 1;
    if (ms > longestMs) this.#times[2] = ms;
  }
}
