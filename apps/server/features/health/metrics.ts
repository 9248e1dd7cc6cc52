import { createHash, timingSafeEqual } from "node:crypto";
import { StorageUnavailable } from "@countersign/store/errors/problem";
import { collectDefaultMetrics, Registry } from "prom-client";
import {
  counter,
  durationBounds,
  exposition,
  histogram,
  type MetricFamily,
  PlainHistogram,
  type Sample,
} from "./exposition.ts";

const textLastsMs = 200;

const sizeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const batchBounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
];

type Endpoint = "validate" | "lookup";
const endpoints: readonly Endpoint[] = ["validate", "lookup"];

/**
 * The server's ofServer metrics, for `/metrics`. On the hot path everything is counted in plain numbers, which are converted
 * only on request. No label depends on what callers send: there is no organization, license or IP address in it.
 */
export class Metrics {
  readonly #process = new Registry();
  readonly #outcomes = {
    validate: new Map<string, { count: number }>(),
    lookup: new Map<string, { count: number }>(),
  };
  readonly #durations = {
    validate: new PlainHistogram(durationBounds),
    lookup: new PlainHistogram(durationBounds),
  };
  readonly #batchSize = new PlainHistogram(sizeBounds);
  readonly #batchSeconds = new PlainHistogram(batchBounds);
  readonly #failedBatches = new Map<string, number>([["unreachable", 0]]);
  readonly #sources: (() => readonly MetricFamily[])[] = [];
  #workerPart: () => Promise<string> = async () => "";
  #text: { readonly atMs: number; readonly text: Promise<string> } | null = null;

  constructor() {
    // The default of 10 ms wakes an idle server a hundred times a second.
    collectDefaultMetrics({ register: this.#process, eventLoopMonitoringPrecision: 100 });
  }

  /** Adds metrics of another part of this thread. They are read at every scrape. */
  add(source: () => readonly MetricFamily[]): void {
    this.#sources.push(source);
  }

  /** Adds the metrics of the management worker, as text. It must resolve within a short time, whatever happens. */
  addWorkerPart(part: () => Promise<string>): void {
    this.#workerPart = part;
  }

  countRequest(endpoint: Endpoint, outcome: string): void {
    const outcomes = this.#outcomes[endpoint];
    const known = outcomes.get(outcome);
    if (known === undefined) outcomes.set(outcome, { count: 1 });
    else known.count += 1;
  }

  requestTook(endpoint: Endpoint, ms: number): void {
    this.#durations[endpoint].observe(ms / 1_000);
  }

  batchDone(calls: number, seconds: number): void {
    this.#batchSize.observe(calls);
    this.#batchSeconds.observe(seconds);
  }

  batchFailed(cause: unknown): void {
    const reason = cause instanceof StorageUnavailable ? cause.reason : "other";
    this.#failedBatches.set(reason, (this.#failedBatches.get(reason) ?? 0) + 1);
  }

  get contentType(): string {
    return this.#process.contentType;
  }

  /** However many clients poll, it is rendered only a few times a second. */
  text(): Promise<string> {
    const nowMs = performance.now();
    if (this.#text === null || nowMs - this.#text.atMs > textLastsMs)
      this.#text = { atMs: nowMs, text: this.#render() };
    return this.#text.text;
  }

  async #render(): Promise<string> {
    // First, because a source says whether the worker has answered.
    const workerPart = await this.#workerPart();
    const ofServer = exposition([...this.#families(), ...this.#sources.flatMap((source) => source())]);
    return [ofServer, workerPart, await this.#process.metrics()].filter((part) => part !== "").join("\n");
  }

  #families(): MetricFamily[] {
    const refused = endpoints.map(
      (endpoint) => this.#outcomes[endpoint].get("rate_limit_exceeded")?.count ?? 0,
    );
    return [
      counter(
        "countersign_requests_total",
        "Requests to the public API, by endpoint and outcome.",
        endpoints.flatMap((endpoint) =>
          Array.from(this.#outcomes[endpoint], ([outcome, { count }]): Sample => {
            return { labels: { endpoint, outcome }, value: count };
          }),
        ),
      ),
      histogram(
        "countersign_request_duration_seconds",
        "Time from the headers of a request to the public API until its response, by endpoint.",
        endpoints.flatMap((endpoint) => this.#durations[endpoint].samples({ endpoint })),
      ),
      counter(
        "countersign_quota_refusals_total",
        "Requests rejected because the daily limit was reached.",
        refused.reduce((sum, count) => sum + count, 0),
      ),
      histogram(
        "countersign_batch_size",
        "Requests decided together in one batch.",
        this.#batchSize.samples(),
      ),
      histogram(
        "countersign_batch_duration_seconds",
        "Duration of one batch in the database.",
        this.#batchSeconds.samples(),
      ),
      counter(
        "countersign_batch_failures_total",
        "Batches that failed because storage was unavailable, by reason.",
        Array.from(this.#failedBatches, ([reason, value]) => ({ labels: { reason }, value })),
      ),
    ];
  }
}

/** Who can read `/metrics`: anyone, or those who send the operator's token. */
export class MetricsGate {
  readonly #expected: Uint8Array | null;

  constructor(token: string | null) {
    this.#expected = token === null ? null : digest(token);
  }

  admits(request: Request): boolean {
    if (this.#expected === null) return true;
    const given = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    // Digests have a fixed length, so the comparison reveals nothing about the token's length.
    return given !== undefined && timingSafeEqual(digest(given), this.#expected);
  }
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
