import type { WorkerOpening } from "@countersign/store/threads/worker-store";
import type { Environment } from "../base/environment.ts";
import type { LogFields, LogLevel } from "../base/log.ts";
import type { BudgetUses } from "../features/health/server-metrics.ts";
import type { CustomerOfOrganization } from "../features/requests/journal-thread.ts";

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
  /** The same for what is logged about the licenses of a customer. */
  eraseCustomer(customer: CustomerOfOrganization): Promise<void>;
}

/**
 * A request on its way from the validating thread to the management worker, and its response on the way back. Bodies
 * follow piece by piece, each when the other side asks for it, so that neither thread ever holds more than one.
 */

/** What the runtime's and Node.js's declarations of a reader have in common. */
export interface PieceReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
  /** Rejects if the rest will not follow. */
  readonly closed: Promise<unknown>;
}

export type HeaderPairs = readonly (readonly [string, string])[];

/** What the validating thread sends. */
export type ToWorker =
  | {
      readonly kind: "request";
      readonly id: number;
      readonly method: string;
      /** Path and query. */
      readonly target: string;
      readonly headers: HeaderPairs;
      readonly hasBody: boolean;
    }
  /** A piece of the body that was asked for; null after the last one. */
  | { readonly kind: "body"; readonly id: number; readonly piece: Uint8Array | null }
  /** The rest of the body will not arrive. */
  | { readonly kind: "body_failed"; readonly id: number; readonly isTooSlow: boolean }
  /** The caller can take the next piece of the response. */
  | { readonly kind: "read"; readonly id: number }
  /** The caller is gone. */
  | { readonly kind: "left"; readonly id: number }
  /** Is answered as soon as the worker does anything. */
  | { readonly kind: "ping" };

/** What the management worker sends. */
export type FromWorker =
  | { readonly kind: "read_body"; readonly id: number }
  /** The rest of the body is not needed. */
  | { readonly kind: "cancel_body"; readonly id: number }
  /** From now on, the request only waits, for at most this long. */
  | { readonly kind: "waits"; readonly id: number; readonly seconds: number }
  | { readonly kind: "resumes"; readonly id: number }
  | {
      readonly kind: "response";
      readonly id: number;
      readonly status: number;
      readonly headers: HeaderPairs;
      /** All of it, or null if it follows in pieces. */
      readonly body: Uint8Array | null;
      /** The pieces are in memory until they are asked for; otherwise they are made then. */
      readonly isHeld: boolean;
      /** The longest time between two pieces. */
      readonly silentSeconds: number;
      /** It can be delayed while there are many of its kind. */
      readonly isRejection: boolean;
    }
  /** A large file, in memory that both threads share. Is sent once, before the first response that has it. */
  | { readonly kind: "file"; readonly file: number; readonly bytes: Uint8Array }
  /** A response whose body is such a file: nothing of it follows. */
  | {
      readonly kind: "file_response";
      readonly id: number;
      readonly status: number;
      readonly headers: HeaderPairs;
      readonly file: number;
    }
  /** There will be no response. */
  | { readonly kind: "failed"; readonly id: number; readonly reason: string }
  /** A piece of the response that was asked for; null after the last one. */
  | { readonly kind: "piece"; readonly id: number; readonly piece: Uint8Array | null }
  /** The rest of the response will not follow. */
  | { readonly kind: "piece_failed"; readonly id: number }
  | { readonly kind: "pong" };
