import { newId } from "@countersign/store/new-id";
import {
  claimImport,
  importToClear,
  importWithFileLeft,
  isImportWaiting,
  releaseImport,
} from "@countersign/store/queries/license-files/imports";
import type { Store } from "@countersign/store/store";
import { isStorageError, type Log, type LogFields, reasonOf } from "../../base/log.ts";
import { type JobRuns, jobRunsOf } from "../../jobs/job-runs.ts";
import { leaseMs, Released, removeExpired, removeFile } from "./job.ts";
import { runImport } from "./run.ts";
import { throttled } from "./throttle.ts";

const checkEveryMs = 2_000;
/** How it is listed among the periodic jobs. */
const job = { name: "imports", everyMs: checkEveryMs };

/**
 * Runs imports one at a time, in steps that let other requests through. Also resumes imports of a process that was
 * killed or stopped.
 */
class ImportRunner {
  readonly claimant = newId();
  readonly #store: Store;
  readonly #log: Log;
  readonly #runs: JobRuns;
  readonly #timer: ReturnType<typeof setInterval>;
  #running: Promise<void> | null = null;
  #isAskedAgain = false;
  #isStopping = false;

  constructor(store: Store, log: Log) {
    this.#store = store.withOwnConnections("jobs");
    this.#log = log;
    this.#runs = jobRunsOf(store);
    this.#timer = setInterval(() => this.wake(), checkEveryMs);
    this.#timer.unref();
    this.wake();
  }

  /** An import is waiting, or may be. */
  wake(): void {
    this.#isAskedAgain = true;
    if (this.#running !== null || this.#isStopping) return;
    this.#running = this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Stops at a point where the import can be resumed. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isAskedAgain && !this.#isStopping) {
      this.#isAskedAgain = false;
      const end = this.#runs.start(job);
      try {
        await runWaitingImports({
          store: this.#store,
          claimant: this.claimant,
          stopping: () => this.#isStopping,
          trouble: (message, fields) => this.#log.warn(message, fields),
        });
        end();
      } catch (error) {
        end(error);
        if (isStorageError(this.#log, error)) return;
        this.#log.warn("Waiting imports could not be processed. They will be retried.", {
          reason: reasonOf(error),
        });
      }
    }
  }
}

const runners = new WeakMap<Store, ImportRunner>();

/** The runner of a store, started on first use. */
export function importRunner(store: Store, log: Log): ImportRunner {
  const known = runners.get(store);
  if (known !== undefined) return known;
  const runner = new ImportRunner(store, log);
  runners.set(store, runner);
  return runner;
}

interface WorkParts {
  readonly store: Store;
  readonly claimant: string;
  /** Whether to stop at a point where the work can be resumed. */
  readonly stopping: () => boolean;
  readonly trouble: (message: string, fields: LogFields) => void;
}

/**
 * Processes imports, one after the other, until none waits. Also resumes those that another process left unfinished.
 */
async function runWaitingImports(parts: WorkParts): Promise<void> {
  const { store, claimant, stopping, trouble } = parts;
  for (;;) {
    const nowMs = await store.clock();
    if (stopping() || !(await isImportWaiting(store.reads, nowMs))) break;
    const job = await store.transaction((db) => claimImport(db, claimant, nowMs, nowMs + leaseMs));
    if (job === undefined) continue;
    try {
      const throttle = throttled(() => store.answeredCalls);
      await runImport({ store, claimant, throttle, stopping }, job);
    } catch (error) {
      if (error instanceof Released) {
        await store.transaction((db) => releaseImport(db, job.id, claimant));
      } else {
        trouble("An import was interrupted. It will be resumed.", {
          import_id: job.id,
          reason: reasonOf(error),
        });
      }
    }
  }
  if (stopping()) return;
  const withFile = await importWithFileLeft(store.reads);
  if (withFile !== null) await removeFile(store, withFile);
  const past = await importToClear(store.reads, await store.clock());
  if (past !== null) await removeExpired(store, past);
}
