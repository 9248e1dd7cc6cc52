import type { WorkerOpening } from "@countersign/store/worker-store";
import type { Environment } from "../config.ts";
import type { LogFields, LogLevel } from "../log.ts";

/** The start parameters of the management worker. */
export interface WorkerSettings {
  readonly environment: Environment;
  readonly database: WorkerOpening;
  /** Where it listens for the requests that the validating thread forwards. */
  readonly socket: string;
}

export type ToWorker =
  /** Answers requests that wait for an event now, so that the server can stop. */
  | { readonly kind: "drain" }
  | { readonly kind: "stop" }
  /** The journal, which another thread writes, no longer contains anything about this organization. */
  | { readonly kind: "forgotten"; readonly organizationId: string; readonly problem: string | null };

export type FromWorker =
  | { readonly kind: "ready" }
  /** It could not start. */
  | { readonly kind: "failed"; readonly reason: string }
  | {
      readonly kind: "log";
      readonly level: LogLevel;
      readonly message: string;
      readonly fields: LogFields | undefined;
    }
  | { readonly kind: "forget"; readonly organizationId: string }
  | { readonly kind: "stopped" };
