import { newId } from "@countersign/store/new-id";
import type { Store } from "@countersign/store/store";
import { type Log, reasonOf } from "../../base/log.ts";
import { isStorageError } from "../../base/storage-errors.ts";
import { type JobRuns, jobRunsOf } from "../../jobs/job-runs.ts";
import { runWaitingImports } from "./run-waiting.ts";

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
