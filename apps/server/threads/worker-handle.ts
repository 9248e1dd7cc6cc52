import { threadFile } from "@countersign/store/built";
import type { MainStore } from "@countersign/store/threads/worker-store";
import type { Environment } from "../base/environment.ts";
import type { Log } from "../base/log.ts";
import { WorkerThread } from "../base/worker-thread.ts";
import type { JournalOfCustomers } from "../features/customer-erasure/job.ts";
import type { BudgetUses } from "../features/health/server-metrics.ts";
import type { JournalOfOrganizations } from "../features/organizations/remove-due.ts";
import type {
  MainThreadCalls,
  SpanCounts,
  WorkerCalls,
  WorkerMetricsText,
  WorkerSettings,
} from "./messages.ts";
import { type ProgressObserver, RequestSender, type SentRequest } from "./request-sender.ts";

/** How long a server that is shutting down waits for the worker. */
const stopTimeoutMs = 7_000;

export interface WorkerParts {
  readonly store: MainStore;
  readonly environment: Environment;
  readonly journal: JournalOfOrganizations & JournalOfCustomers;
  readonly log: Log;
  /** The code of the thread. */
  readonly file?: URL;
}

/** Starts the management worker, restarts it if it exits, and sends it requests. */
export class ManagementWorker {
  readonly #thread: WorkerThread<WorkerCalls, MainThreadCalls>;
  readonly #requests: RequestSender;
  #starts = 0;

  private constructor({ store, environment, journal, log, file }: WorkerParts) {
    this.#thread = new WorkerThread({
      open: () => {
        this.#starts += 1;
        const { opening: database, transfer } = store.forWorker();
        const data: WorkerSettings = { environment: { ...environment }, database };
        return { file: file ?? threadFile("management-worker", import.meta.url), data, transfer };
      },
      offers: {
        exchange: (message) => this.#requests.receive(message),
        log: ({ level, message, fields }) => log[level](message, fields),
        deleteOrganization: (organizationId) => journal.deleteOrganization(organizationId),
        eraseCustomer: (customer) => journal.eraseCustomer(customer),
      },
      exited: (reason) => {
        log.error("The management worker exited. Restarting it.", { reason });
        this.#requests.fail(reason);
      },
    });
    this.#requests = new RequestSender((message) => this.#thread.calls?.notify("exchange", message));
  }

  /** Rejects if the worker cannot start. */
  static async start(parts: WorkerParts): Promise<ManagementWorker> {
    const worker = new ManagementWorker(parts);
    try {
      await worker.#thread.started;
    } catch (error) {
      await worker.stop();
      throw error;
    }
    return worker;
  }

  /** Whether it has not reacted for seconds: new requests would only wait. */
  get isUnresponsive(): boolean {
    return this.#requests.isUnresponsive;
  }

  /**
   * Waits for a start in progress. Null if there is no room for the response. Rejects if the worker is not running, or
   * exits before it has responded.
   */
  async answer(request: SentRequest, progress: ProgressObserver): Promise<Response | null> {
    await this.#thread.started;
    return this.#requests.send(request, progress);
  }

  /** How often it was started again because it had exited. */
  get restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  /** Rejects if it is not running. */
  async metrics(): Promise<WorkerMetricsText> {
    const { calls } = this.#thread;
    if (calls === null) throw new Error("The management worker is not running.");
    return calls.request("metrics", undefined);
  }

  /** Resolves when the worker has taken the spans; rejects if it is not running. */
  async exportSpans(json: string): Promise<void> {
    const { calls } = this.#thread;
    if (calls === null) throw new Error("The management worker is not running.");
    await calls.request("exportSpans", json);
  }

  drain(): void {
    this.#thread.calls?.notify("drain", undefined);
  }

  /** Ends the thread, after its background work has reached a point where it can be resumed. */
  async stop(): Promise<void> {
    await this.#thread.stop(stopTimeoutMs);
    this.#requests.fail("The server is stopping.");
  }
}

/** How long a scrape waits for the management worker. */
const metricsTimeoutMs = 500;

/**
 * The metrics of the management worker, for the validating thread. A worker that does not answer delays a scrape by half
 * a second once, and no scrape after that: only one question is open at a time.
 */
export class WorkerPart {
  readonly #ask: () => Promise<WorkerMetricsText>;
  readonly #metricsTimeoutMs: number;
  #asked: Promise<WorkerMetricsText | null> | null = null;
  #isLate = false;
  #hasAnswered = false;
  #spans: SpanCounts = { exported: 0, dropped: 0 };
  #budgets: BudgetUses = {};

  /** `ask` may stay unanswered, or reject. */
  constructor(ask: () => Promise<WorkerMetricsText>, waitsMs = metricsTimeoutMs) {
    this.#ask = ask;
    this.#metricsTimeoutMs = waitsMs;
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

  async #inTime(metrics: Promise<WorkerMetricsText | null>): Promise<WorkerMetricsText | null> {
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => {
      this.#isLate = this.#asked === metrics;
      late.resolve(null);
    }, this.#metricsTimeoutMs);
    try {
      return await Promise.race([metrics, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
