import type { WorkerOpening } from "@countersign/store/threads/worker-store";
import type { Environment } from "../base/config.ts";
import type { LogFields, LogLevel } from "../base/log.ts";
import type { BudgetUses } from "../features/health/server-metrics.ts";
import type { FromWorker, ToWorker } from "./exchange.ts";

/** The start parameters of the management worker. */
export interface WorkerSettings {
  readonly environment: Environment;
  readonly database: WorkerOpening;
}

/** The metrics of the management worker. */
export interface WorkerMetricsText {
  /** In the text format of Prometheus. */
  readonly text: string;
  /** What became of the spans of both threads; null if no traces are configured. */
  readonly spans: SpanCounts | null;
  readonly budgets: BudgetUses;
}

export interface SpanCounts {
  readonly exported: number;
  readonly dropped: number;
}

/** What the management worker can be asked to do. */
export interface WorkerCalls {
  /** Requests that the validating thread forwards. */
  exchange(message: ToWorker): void;
  /** Answers requests that wait for an event now, so that the server can stop. */
  drain(): void;
  metrics(): WorkerMetricsText;
  /** Exports spans of the validating thread: a list, as JSON. */
  exportSpans(json: string): void;
  /** Background work first reaches a point where it can be resumed. */
  stop(): Promise<void>;
}

/** What the management worker asks the validating thread to do. */
export interface MainThreadCalls {
  /** Responses to forwarded requests. */
  exchange(message: FromWorker): void;
  log(line: {
    readonly level: LogLevel;
    readonly message: string;
    readonly fields: LogFields | undefined;
  }): void;
  /** Deletes an organization's data from the journal, which another thread writes. */
  deleteOrganization(organizationId: string): Promise<void>;
}
