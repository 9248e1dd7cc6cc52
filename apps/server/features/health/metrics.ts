import type { HoldTimes } from "@countersign/store/write-lock";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

const textLastsMs = 200;

/** The server's own metrics, for `/metrics`. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Map<string, number>();
  readonly #batchSize: Histogram;
  readonly #databaseSeconds: Histogram;
  readonly #failedBatches: Counter;
  readonly #droppedEntries: Counter;
  readonly #journalFailures: Counter;
  #text: { readonly atMs: number; readonly text: Promise<string> } | null = null;

  constructor() {
    const registers = [this.#registry];
    const requests = this.#requests;
    // The default of 10 ms wakes an idle server a hundred times a second.
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 100 });
    // Counted in a plain map on the hot path; converted to labels only on request.
    new Counter({
      name: "countersign_requests_total",
      help: "Requests to the public API, by endpoint and outcome.",
      labelNames: ["endpoint", "outcome"],
      registers,
      collect() {
        this.reset();
        for (const [key, count] of requests) {
          const [endpoint = "", outcome = ""] = key.split(" ");
          this.inc({ endpoint, outcome }, count);
        }
      },
    });
    new Counter({
      name: "countersign_quota_refusals_total",
      help: "Requests rejected because the daily limit was reached.",
      registers,
      collect() {
        this.reset();
        for (const [key, count] of requests) if (key.endsWith(" rate_limit_exceeded")) this.inc(count);
      },
    });
    this.#batchSize = new Histogram({
      name: "countersign_batch_size",
      help: "Requests decided together in one batch.",
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
      registers,
    });
    this.#databaseSeconds = new Histogram({
      name: "countersign_database_seconds",
      help: "Duration of one batch in the database.",
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    });
    this.#failedBatches = new Counter({
      name: "countersign_failed_batches_total",
      help: "Batches that failed because storage was unavailable.",
      registers,
    });
    this.#droppedEntries = new Counter({
      name: "countersign_request_log_dropped_total",
      help: "Request log entries dropped because the log could not be written.",
      registers,
    });
    this.#journalFailures = new Counter({
      name: "countersign_request_log_failures_total",
      help: "Failed attempts to write the request log.",
      registers,
    });
  }

  /** For SQLite, where everyone waits for the writer. */
  watchWriteLock(holds: () => HoldTimes): void {
    const registers = [this.#registry];
    new Counter({
      name: "countersign_write_lock_over_limit_total",
      help: "Number of times SQLite's write lock was held for longer than 100 ms.",
      registers,
      collect() {
        this.reset();
        this.inc(holds().overLimit);
      },
    });
    new Gauge({
      name: "countersign_write_lock_longest_seconds",
      help: "The longest time SQLite's write lock was held.",
      registers,
      collect() {
        this.set(holds().longestMs / 1_000);
      },
    });
  }

  countRequest(endpoint: "validate" | "lookup", outcome: string): void {
    const key = `${endpoint} ${outcome}`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
  }

  batchDone(calls: number, seconds: number): void {
    this.#batchSize.observe(calls);
    this.#databaseSeconds.observe(seconds);
  }

  batchFailed(): void {
    this.#failedBatches.inc();
  }

  entriesDropped(count: number): void {
    this.#droppedEntries.inc(count);
  }

  journalFailed(): void {
    this.#journalFailures.inc();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** However many clients poll, it is rendered only a few times a second. */
  text(): Promise<string> {
    const nowMs = performance.now();
    if (this.#text === null || nowMs - this.#text.atMs > textLastsMs)
      this.#text = { atMs: nowMs, text: this.#registry.metrics() };
    return this.#text.text;
  }
}
