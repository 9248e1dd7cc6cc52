/** Admits one task at a time; others wait in order of arrival. */
export class OneAtATime {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /**
   * Returns the function that ends the task, or null if it was not admitted by then, on the clock of `performance.now`.
   */
  async acquire(deadlineMs: number): Promise<(() => void) | null> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return this.#release;
    }
    const { promise, resolve } = Promise.withResolvers<(() => void) | null>();
    const turn = () => {
      clearTimeout(timer);
      resolve(this.#release);
    };
    const timer = setTimeout(
      () => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        resolve(null);
      },
      Math.max(0, deadlineMs - performance.now()),
    );
    this.#waiting.push(turn);
    return promise;
  }

  readonly #release = (): void => {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  };
}
