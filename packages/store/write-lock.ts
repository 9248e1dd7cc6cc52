/** Lets one at a time write, in the order in which they came. */
export interface Turns {
  /** Whether somebody writes, or waits for it. */
  readonly busy: boolean;
  hold<T>(work: () => Promise<T>): Promise<T>;
}

export class WriteLock implements Turns {
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;

  get busy(): boolean {
    return this.#waiting > 0;
  }

  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const before = this.#tail;
    let release = () => {};
    this.#tail = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    try {
      return await work();
    } finally {
      this.#waiting -= 1;
      release();
    }
  }
}
