import { removeOldImpersonations } from "@countersign/store/queries/impersonations/impersonations";
import type { Store } from "@countersign/store/store";
import { inBatches } from "../../jobs/in-batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";

const everyMs = 10 * 60_000;
const rowsAtATime = 100;

/** Prunes expired impersonations, which have no effect anymore. */
export function impersonationPruning(store: Store): PeriodicJob {
  return {
    name: "old impersonations",
    everyMs,
    run: async (stopping) => {
      const nowMs = await store.clock();
      await inBatches(async () => {
        const removed = await store.transaction(
          (db) => removeOldImpersonations(db, nowMs, rowsAtATime),
          "soon",
        );
        return removed === rowsAtATime;
      }, stopping);
    },
  };
}
