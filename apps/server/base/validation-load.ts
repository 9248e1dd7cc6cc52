/** Measures whether validations arrive faster than a rate, since the last measurement. */
export class ValidationLoad {
  readonly #validatedCalls: () => number;
  readonly #busyCallsPerSecond: number;
  #calls: number;
  #measuredMs = performance.now();

  constructor(validatedCalls: () => number, busyCallsPerSecond: number) {
    this.#validatedCalls = validatedCalls;
    this.#busyCallsPerSecond = busyCallsPerSecond;
    this.#calls = validatedCalls();
  }

  isBusy(): boolean {
    const [calls, nowMs] = [this.#validatedCalls(), performance.now()];
    const maxIdleCalls = (this.#busyCallsPerSecond * (nowMs - this.#measuredMs)) / 1_000;
    const isBusy = calls - this.#calls > maxIdleCalls;
    this.#calls = calls;
    this.#measuredMs = nowMs;
    return isBusy;
  }
}
