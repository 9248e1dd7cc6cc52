import {
  removeOldAttempts,
  removeOldSessions,
  removeOldVerifications,
} from "@countersign/store/queries/sign-in-leftovers";
import type { Store } from "@countersign/store/store";
import type { Chore } from "../../jobs/chores.ts";

const everyMs = 10 * 60_000;
const rowsAtATime = 500;

/** What signing in leaves behind. Done whether or not somebody has signed in since the start. */
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
