import { minuteMs } from "@countersign/domain/dates/lengths";
import { removeRunsOfStoppedNodes, storeJobRuns } from "@countersign/store/queries/jobs/job-runs";
import type { Store } from "@countersign/store/store";
import { isStorageError, type Log, reasonOf } from "../base/log.ts";
import type { EndRun, JobRuns } from "./job-runs.ts";

/** A periodic job that runs on every node; it must tolerate running on two at the same time. */
export interface PeriodicJob {
  readonly name: string;
  readonly everyMs: number;
  /** Whether platform admins see when it last ran. Yes by default. */
  readonly isListed?: false;
  /** Once the signal is aborted, it leaves the rest for later. */
  run(stopping?: AbortSignal): Promise<void>;
}

/** The trace of a run. */
interface RunSpan {
  end(failed: boolean): void;
}

/**
 * Runs periodic jobs in the background, each never concurrently with itself. A failure is logged and retried at the
 * next interval.
 */
export class PeriodicJobs {
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(
    periodicJobs: readonly PeriodicJob[],
    log: Log,
    runs: JobRuns,
    spanOf: (job: PeriodicJob) => RunSpan | null = () => null,
  ) {
    for (const job of periodicJobs) {
      let busy = false;
      const run = async () => {
        if (busy) return;
        busy = true;
        const end = job.isListed === false ? unlisted : runs.start(job);
        const span = spanOf(job);
        try {
          await job.run(this.#stopping.signal);
          end();
          span?.end(false);
        } catch (error) {
          end(error);
          span?.end(true);
          if (isStorageError(log, error)) return;
          log.warn("A periodic job failed. It will be retried.", {
            job: job.name,
            reason: reasonOf(error),
          });
        } finally {
          busy = false;
        }
      };
      const timer = setInterval(() => {
        const running = run();
        this.#running.add(running);
        void running.finally(() => this.#running.delete(running));
      }, job.everyMs);
      timer.unref();
      this.#timers.push(timer);
    }
  }

  /** Starts no more jobs and waits for those in progress to reach a point where they can be resumed. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopping.abort();
    await Promise.all(this.#running);
  }
}

const unlisted: EndRun = () => {};

/**
 * A node starts some job every few seconds, and saves its runs every minute. One that has saved nothing for so long has
 * stopped, and what it was running was interrupted.
 */
export const silentNodeMs = 2 * minuteMs;
/** For so long the runs of a stopped node are listed. */
export const listedNodeMs = 5 * minuteMs;
const keptMs = 10 * minuteMs;

/** Saves this node's runs where the others can read them, and prunes those of nodes that no longer run. */
export function jobRunSaving(store: Store, runs: JobRuns): PeriodicJob {
  return {
    name: "job runs",
    everyMs: minuteMs,
    // Whenever the others read about it, it would be running.
    isListed: false,
    run: async () => {
      const nowMs = await store.clock();
      await runs.saveChanged(nowMs, (rows) =>
        store.transaction(async (db) => {
          await storeJobRuns(db, rows);
          await removeRunsOfStoppedNodes(db, nowMs - keptMs);
        }, "soon"),
      );
    },
  };
}
