import type { Transferable } from "node:worker_threads";
import type { Store } from "../store.ts";
import type { HoldTimes, SharedWriteLock } from "./write-lock.ts";

/** A store whose database other threads of this process may open as well. */
export interface MainStore extends Store {
  /** What one worker needs to open the same database with `openInWorker`. Each worker needs its own. */
  forWorker(): ForWorker;
  /** How long the write lock was held; null on PostgreSQL, which has none. */
  readonly writeHolds: HoldTimes | null;
}

export interface ForWorker {
  readonly opening: WorkerOpening;
  /** The parts of `opening` that are moved to the worker instead of copied. */
  readonly transfer: Transferable[];
}

export type WorkerOpening = SqliteOpening | PostgresOpening;

export interface SqliteOpening extends CommonOpening {
  readonly kind: "sqlite";
  readonly folder: string;
  readonly writeLock: SharedWriteLock;
}

export interface PostgresOpening extends CommonOpening {
  readonly kind: "postgres";
  readonly url: string;
}

interface CommonOpening {
  readonly durability: "standard" | "strict";
  /** Derived already: deriving it from the passphrase again would double the time of a start. */
  readonly dataKey: Uint8Array;
  /** As stored when it was derived, to notice another one. */
  readonly storedDataKey: string;
  /** What that one is protected with. */
  readonly encryptionKey: string | null;
  readonly calls: SharedArrayBuffer;
}
