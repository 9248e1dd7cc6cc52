import type { Clock } from "./clock.ts";
import { type ErrorDetails, RateLimitError } from "./errors.ts";

/** Blocks requests after a 429, until the daily limit resets. */
export class RateLimitGate {
  readonly #clock: Clock;
  #untilSteadyMs = Number.NEGATIVE_INFINITY;
  #requestId: string | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws while the limit is used up. */
  check(): void {
    const leftMs = this.#untilSteadyMs - this.#clock.steadyMs();
    if (leftMs > 0) throw this.error(Math.ceil(leftMs / 1_000), { requestId: this.#requestId });
  }

  close(retryAfterSeconds: number, requestId: string | null): void {
    this.#untilSteadyMs = this.#clock.steadyMs() + retryAfterSeconds * 1_000;
    this.#requestId = requestId;
  }

  error(seconds: number, details: ErrorDetails): RateLimitError {
    const resetAt = new Date(this.#clock.wallMs() + seconds * 1_000);
    const message = `The product's daily limit is used up. It resets in ${seconds} seconds.`;
    return new RateLimitError(message, seconds, resetAt, details);
  }
}
