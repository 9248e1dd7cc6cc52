import { hourMs } from "@countersign/domain/dates/lengths";
import { quotaDay } from "@countersign/domain/quota/day";
import { pruneUsage, usageDays } from "@countersign/store/queries/usage/daily";
import type { Database, Store } from "@countersign/store/store";
import { inBatches } from "../../jobs/in-batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";

const rowsAtATime = 500;

/** Prunes the daily counts of requests after 13 months. */
export function usagePruning(store: Store, clock = () => store.clock()): PeriodicJob {
  return {
    name: "old usage",
    everyMs: hourMs,
    run: async (stopping) => {
      const firstDay = quotaDay(await clock()) - usageDays + 1;
      const pruneSome = (db: Database) => pruneUsage(db, firstDay, rowsAtATime);
      await inBatches(() => store.transaction(pruneSome, "soon"), stopping);
    },
  };
}
