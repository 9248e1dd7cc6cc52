import type { BudgetUses } from "../features/health/server-metrics.ts";
import type { SpanCounts, WorkerMetricsText } from "./messages.ts";

/** How long a scrape waits for the management worker. */
const longestMs = 500;

/**
 * The metrics of the management worker, for the validating thread. A worker that does not answer delays a scrape by half
 * a second once, and no scrape after that: only one question is open at a time.
 */
export class WorkerPart {
  readonly #ask: () => Promise<WorkerMetricsText>;
  readonly #longestMs: number;
  #asked: Promise<WorkerMetricsText | null> | null = null;
  #isLate = false;
  #hasAnswered = false;
  #spans: SpanCounts = { exported: 0, dropped: 0 };
  #budgets: BudgetUses = {};

  /** `ask` may stay unanswered, or reject. */
  constructor(ask: () => Promise<WorkerMetricsText>, waitsMs = longestMs) {
    this.#ask = ask;
    this.#longestMs = waitsMs;
  }

  /** Whether the last text came from the worker. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** What became of spans, as far as the worker has said. */
  get spans(): SpanCounts {
    return this.#spans;
  }

  /** Empty if the last text did not come from the worker. */
  get budgets(): BudgetUses {
    return this.#budgets;
  }

  /** Empty if the worker does not answer in time. */
  async text(): Promise<string> {
    this.#asked ??= this.#ask()
      .catch(() => null)
      .finally(() => {
        this.#asked = null;
        this.#isLate = false;
      });
    const part = this.#isLate ? null : await this.#inTime(this.#asked);
    this.#hasAnswered = part !== null;
    this.#spans = part?.spans ?? this.#spans;
    this.#budgets = part?.budgets ?? {};
    return part?.text ?? "";
  }

  async #inTime(asked: Promise<WorkerMetricsText | null>): Promise<WorkerMetricsText | null> {
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => {
      this.#isLate = this.#asked === asked;
      late.resolve(null);
    }, this.#longestMs);
    try {
      return await Promise.race([asked, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
