import { hourMs } from "@countersign/domain/dates/lengths";
import { quotaDay, usageDays } from "@countersign/domain/quota/day";
import { pruneUsage } from "@countersign/store/queries/usage/daily";
import { pruneNotices } from "@countersign/store/queries/usage/quota-notices";
import type { Database, Store } from "@countersign/store/store";
import { inBatches } from "../../jobs/in-batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";

const rowsAtATime = 500;

/** Emails are only written about today. Clocks of nodes differ. */
const noticeDays = 2;

/** Prunes the daily counts of requests after 13 months, and the notices of reached limits once their day is over. */
export function usagePruning(store: Store, clock = () => store.clock()): PeriodicJob {
  return {
    name: "old usage",
    everyMs: hourMs,
    run: async (stopping) => {
      const today = quotaDay(await clock());
      for (const [prune, beforeDay] of [
        [pruneUsage, today - usageDays + 1],
        [pruneNotices, today - noticeDays],
      ] as const) {
        const pruneSome = (db: Database) => prune(db, beforeDay, rowsAtATime);
        await inBatches(() => store.transaction(pruneSome, "soon"), stopping);
      }
    },
  };
}
