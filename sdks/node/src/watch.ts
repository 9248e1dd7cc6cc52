import type { Clock } from "./clock.ts";
import { CountersignError } from "./errors.ts";
import type { ValidateResult } from "./result.ts";

export interface WatchOptions {
  readonly intervalSeconds: number;
  /** Called with the first verdict, and after every change. */
  readonly onChange: (result: ValidateResult, previous: ValidateResult | null) => void;
  /** Called if there was no verdict. The next attempt follows after the interval. */
  readonly onError?: ((error: CountersignError) => void) | undefined;
  readonly version?: string | undefined;
  readonly deviceId?: string | undefined;
}

/** Random jitter, so that apps started together do not send requests together. */
const jitter = 0.1;

export class Watch {
  readonly #validate: () => Promise<ValidateResult>;
  readonly #options: WatchOptions;
  readonly #random: () => number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #previous: ValidateResult | null = null;
  #isStopped = false;
  /** Resolves after the first check. */
  readonly started: Promise<void>;

  constructor(
    validate: () => Promise<ValidateResult>,
    options: WatchOptions,
    { random }: { readonly clock: Clock; readonly random: () => number },
  ) {
    if (!(options.intervalSeconds >= 1)) throw new TypeError("intervalSeconds must be at least 1.");
    this.#validate = validate;
    this.#options = options;
    this.#random = random;
    this.started = this.#check();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #check(): Promise<void> {
    try {
      const result = await this.#validate();
      if (this.#isStopped) return;
      const previous = this.#previous;
      this.#previous = result;
      if (previous === null || previous.valid !== result.valid || previous.status !== result.status)
        this.#options.onChange(result, previous);
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      if (!this.#isStopped) this.#options.onError?.(error);
    } finally {
      this.#scheduleNext();
    }
  }

  #scheduleNext(): void {
    if (this.#isStopped) return;
    const spread = 1 + jitter * (2 * this.#random() - 1);
    this.#timer = setTimeout(() => void this.#check(), this.#options.intervalSeconds * 1_000 * spread);
    this.#timer.unref?.();
  }
}
