import { dayMs, minuteMs } from "@countersign/domain/dates/lengths";
import { removeRunsOfStoppedNodes, storeJobRuns } from "@countersign/store/queries/jobs/job-runs";
import type { Store } from "@countersign/store/store";
import type { JobRuns } from "./job-runs.ts";
import type { PeriodicJob } from "./periodic-jobs.ts";

const keptMs = dayMs;

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
