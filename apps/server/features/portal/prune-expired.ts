import {
  removeExpiredPortalCodes,
  removeExpiredPortalSessions,
} from "@countersign/store/queries/portal/expired-rows";
import type { Database, Store } from "@countersign/store/store";
import { inBatches } from "../../jobs/in-batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";

const everyMs = 10 * 60_000;
const rowsAtATime = 500;

/** Prunes what has expired in the portal. */
export function portalPruning(store: Store): PeriodicJob {
  return {
    name: "old codes and sessions of the portal",
    everyMs,
    run: async (stopping) => {
      const nowMs = await store.clock();
      const removals = [
        (db: Database) => removeExpiredPortalCodes(db, nowMs, rowsAtATime),
        (db: Database) => removeExpiredPortalSessions(db, nowMs, rowsAtATime),
      ];
      for (const remove of removals)
        await inBatches(async () => (await store.transaction(remove, "soon")) === rowsAtATime, stopping);
    },
  };
}
