import { dayMs } from "@countersign/domain/dates/lengths";
import { oldMail, removeMail } from "@countersign/store/queries/mailbox";
import { oldWaitingLetters, removeWaitingLetters } from "@countersign/store/queries/waiting-letters";
import type { Store } from "@countersign/store/store";
import type { Chore } from "../../jobs/chores.ts";
import { inBatches } from "../../jobs/in-batches.ts";

const keptForMs = 90 * dayMs;
const lettersAtATime = 500;

/**
 * The mailbox is not an archive: emails that were sent or failed, and links that expired long ago, are deleted after a
 * while.
 */
export function mailForgetting(store: Store): Chore {
  return {
    name: "old mail",
    everyMs: 60 * 60 * 1000,
    run: async (stopping) => {
      const beforeMs = (await store.clock()) - keptForMs;
      for (const [old, remove] of [
        [oldMail, removeMail],
        [oldWaitingLetters, removeWaitingLetters],
      ] as const)
        await inBatches(async () => {
          const ids = await old(store.reads, beforeMs, lettersAtATime);
          if (ids.length > 0) await store.transaction((db) => remove(db, ids));
          return ids.length > 0;
        }, stopping);
    },
  };
}
