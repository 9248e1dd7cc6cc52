import type { MessagePort } from "node:worker_threads";

/** Holding the lock for longer delays validations more than it should. */
const holdLimitMs = 100;

/** How often the lock was held, how often for longer than the limit, and the longest time. */
export interface HoldTimes {
  readonly count: number;
  readonly overLimit: number;
  readonly maxMs: number;
}

/** What a worker needs to share the lock with the validating thread. The port has to be transferred. */
export interface SharedWriteLock {
  readonly memory: SharedArrayBuffer;
  readonly port: MessagePort;
}

/** How one thread acquires the lock from another. */
export interface CrossThreadLock {
  /** Shared by both. Its first eight bytes belong to the lock. */
  readonly memory: SharedArrayBuffer;
  /** Acquires it if that requires no waiting, and returns whether it did. */
  tryAcquire(): boolean;
  /** Null if it is already acquired. */
  acquire(): Promise<void> | null;
  release(): void;
}

/** Admits one writer at a time: those of this thread in order of arrival, and this thread in turn with the other. */
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
    const [count = 0, overLimit = 0, maxMs = 0] = this.#times;
    return { count, overLimit, maxMs };
  }

  /**
   * Acquires the lock if no one holds it or waits for it here, and returns whether it did. If so, `release` must
   * follow.
   */
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

  /** Written by the thread that holds the lock, so the two never write at the same time. */
  #measured(ms: number): void {
    const { count, overLimit, maxMs } = this.holds;
    this.#times[0] = count + 1;
    if (ms > holdLimitMs) this.#times[1] = overLimit + 1;
    if (ms > maxMs) this.#times[2] = ms;
  }
}
