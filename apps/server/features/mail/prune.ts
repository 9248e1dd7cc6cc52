import { dayMs } from "@countersign/domain/dates/lengths";
import { oldEmails, removeEmails } from "@countersign/store/queries/mail/outbox";
import { oldWaitingEmails, removeWaitingEmails } from "@countersign/store/queries/mail/waiting-emails";
import type { Store } from "@countersign/store/store";
import { inBatches } from "../../jobs/in-batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";

const keptForMs = 90 * dayMs;
const emailsAtATime = 500;

/**
 * The outbox is not an archive: emails that were sent or failed, and links that expired long ago, are deleted after a
 * while.
 */
export function emailPruning(store: Store): PeriodicJob {
  return {
    name: "old mail",
    everyMs: 60 * 60 * 1000,
    run: async (stopping) => {
      const beforeMs = (await store.clock()) - keptForMs;
      for (const [old, remove] of [
        [oldEmails, removeEmails],
        [oldWaitingEmails, removeWaitingEmails],
      ] as const)
        await inBatches(async () => {
          const ids = await old(store.reads, beforeMs, emailsAtATime);
          if (ids.length > 0) await store.transaction((db) => remove(db, ids));
          return ids.length > 0;
        }, stopping);
    },
  };
}
