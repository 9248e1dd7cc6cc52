import { refusalHour } from "@countersign/domain/events/thresholds";
import { pruneRefusals } from "@countersign/store/queries/events/expiries";
import type { Database, Store } from "@countersign/store/store";
import { inBatches } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { recordSummaries } from "./record-summaries.ts";

const rowsAtATime = 200;

/** Records the summaries of past hours, and then prunes their rejections. One hour is kept, because clocks differ. */
export function refusalPruning(store: Store): PeriodicJob {
  return {
    name: "prune refusals",
    everyMs: 60_000,
    run: async (stopping) => {
      await recordSummaries(store, stopping);
      const beforeHour = refusalHour(await store.clock()) - 1;
      const deleteSome = (db: Database) => pruneRefusals(db, beforeHour, rowsAtATime);
      await inBatches(() => store.transaction(deleteSome, "soon"), stopping);
    },
  };
}
