import { ipRemovalWindowMs } from "@countersign/domain/portal/budget";
import { removeOldPortalActions } from "@countersign/store/queries/portal/actions";
import type { Database, Store } from "@countersign/store/store";
import { inBatches } from "../../jobs/in-batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";

const everyMs = 60 * 60_000;
const rowsAtATime = 500;

/** Prunes what customers did themselves once it counts for no budget. */
export function portalActionPruning(store: Store): PeriodicJob {
  return {
    name: "old actions of customers",
    everyMs,
    run: async (stopping) => {
      const beforeMs = (await store.clock()) - ipRemovalWindowMs;
      const removeSome = (db: Database) => removeOldPortalActions(db, beforeMs, rowsAtATime);
      await inBatches(async () => (await store.transaction(removeSome, "soon")) === rowsAtATime, stopping);
    },
  };
}
