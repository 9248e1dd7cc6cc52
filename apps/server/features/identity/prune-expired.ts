import {
  removeOldAttempts,
  removeOldSessions,
  removeOldVerifications,
} from "@countersign/store/queries/identity/expired-rows";
import type { Database, Store } from "@countersign/store/store";
import { inBatches } from "../../jobs/in-batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";

const everyMs = 10 * 60_000;
const rowsAtATime = 500;

/** Prunes expired rows of sign-ins. Runs whether or not someone has signed in since startup. */
export function signInPruning(store: Store): PeriodicJob {
  return {
    name: "old sessions and codes",
    everyMs,
    run: async (stopping) => {
      const nowMs = await store.clock();
      for (const remove of [removeOldSessions, removeOldVerifications, removeOldAttempts]) {
        const removeSome = (db: Database) => remove(db, nowMs, rowsAtATime);
        await inBatches(async () => (await store.transaction(removeSome, "soon")) === rowsAtATime, stopping);
      }
    },
  };
}
