import { CountersignError } from "./errors.ts";
import { within } from "./options.ts";
import type { Reporter } from "./reporter.ts";
import type { CustomResponse, ValidateResult } from "./result.ts";

export interface WatchOptions<Custom = CustomResponse> {
  /** From 1 to 2,592,000, which is 30 days. */
  readonly intervalSeconds: number;
  /** Called with the first verdict, and after every change. */
  readonly onChange: (result: ValidateResult<Custom>, previous: ValidateResult<Custom> | null) => void;
  /** Called if there was no verdict. The next attempt follows after the interval. */
  readonly onError?: ((error: CountersignError) => void) | undefined;
  readonly version?: string | undefined;
  readonly deviceId?: string | undefined;
}

/** Random jitter, so that apps started together do not send requests together. */
const jitter = 0.1;
/** Longer timers overflow and end at once. */
const maxTimerMs = 2 ** 30;

export class Watch<Custom = CustomResponse> {
  readonly #validate: () => Promise<ValidateResult<Custom>>;
  readonly #options: WatchOptions<Custom>;
  readonly #random: () => number;
  readonly #reporter: Reporter;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #previous: ValidateResult<Custom> | null = null;
  #isStopped = false;
  /** Resolves after the first check. */
  readonly started: Promise<void>;

  constructor(
    validate: () => Promise<ValidateResult<Custom>>,
    options: WatchOptions<Custom>,
    { random, reporter }: { readonly random: () => number; readonly reporter: Reporter },
  ) {
    within("intervalSeconds", options.intervalSeconds, 1, 30 * 86_400);
    this.#validate = validate;
    this.#options = options;
    this.#random = random;
    this.#reporter = reporter;
    this.started = this.#check();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Never rejects: nobody may wait for it. */
  async #check(): Promise<void> {
    try {
      const result = await this.#validate();
      if (!this.#isStopped) this.#report(result);
    } catch (error) {
      if (!this.#isStopped) this.#reportError(error);
    } finally {
      const spread = 1 + jitter * (2 * this.#random() - 1);
      this.#schedule(this.#options.intervalSeconds * 1_000 * spread);
    }
  }

  #report(result: ValidateResult<Custom>): void {
    const previous = this.#previous;
    this.#previous = result;
    if (previous === null || previous.valid !== result.valid || previous.status !== result.status)
      this.#reporter.call("onChange", () => this.#options.onChange(result, previous));
  }

  #reportError(error: unknown): void {
    const { onError } = this.#options;
    if (!(error instanceof CountersignError)) this.#reporter.log("error", "The watch failed.", { error });
    else if (onError !== undefined) this.#reporter.call("onError", () => onError(error));
  }

  #schedule(waitMs: number): void {
    if (this.#isStopped) return;
    const timerMs = Math.min(waitMs, maxTimerMs);
    const next = () => (waitMs > timerMs ? this.#schedule(waitMs - timerMs) : void this.#check());
    this.#timer = setTimeout(next, timerMs);
    // Not in browsers and edge runtimes, where timers keep nothing alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }
}
