/** Admits a number of tasks at a time; others wait in order of arrival. */
export class ConcurrencyLimit {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Whether a task was admitted without waiting. If so, `release` must follow. */
  tryAcquire(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Whether a task was admitted by then, on the clock of `performance.now`. If so, `release` must follow. */
  async acquire(deadlineMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (this.tryAcquire()) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const admit = () => {
      clearTimeout(timer);
      resolve(true);
    };
    this.#waiting.push(admit);
    if (deadlineMs !== Number.POSITIVE_INFINITY) {
      timer = setTimeout(
        () => {
          this.#waiting.splice(this.#waiting.indexOf(admit), 1);
          resolve(false);
        },
        Math.max(0, deadlineMs - performance.now()),
      );
    }
    return promise;
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire();
    try {
      return await work();
    } finally {
      this.release();
    }
  }
}
