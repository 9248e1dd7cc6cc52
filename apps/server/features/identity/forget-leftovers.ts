import {
  removeOldAttempts,
  removeOldSessions,
  removeOldVerifications,
} from "@countersign/store/queries/sign-in-leftovers";
import type { Store } from "@countersign/store/store";
import type { Chore } from "../../jobs/chores.ts";

const everyMs = 10 * 60_000;
const rowsAtATime = 500;

/** Prunes expired rows of sign-ins. Runs whether or not someone has signed in since startup. */
export function leftoverForgetting(store: Store): Chore {
  return {
    name: "old sessions and codes",
    everyMs,
    run: async () => {
      const nowMs = await store.clock();
      for (const remove of [removeOldSessions, removeOldVerifications, removeOldAttempts]) {
        let removed: number;
        do removed = await store.transaction((db) => remove(db, nowMs, rowsAtATime), "soon");
        while (removed === rowsAtATime);
      }
    },
  };
}
