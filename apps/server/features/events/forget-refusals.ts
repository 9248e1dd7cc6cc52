import { refusalHour } from "@countersign/domain/events/refusal";
import { forgetRefusals } from "@countersign/store/queries/expiries";
import type { Database, Store } from "@countersign/store/store";
import type { Chore } from "../../jobs/chores.ts";
import { inBatches } from "../../jobs/in-batches.ts";
import { tellSummaries } from "./tell-summaries.ts";

const rowsAtATime = 200;

/** Records the summaries of past hours, and then prunes their rejections. One hour is kept, because clocks differ. */
export function refusalForgetting(store: Store): Chore {
  return {
    name: "forget refusals",
    everyMs: 60_000,
    run: async (stopping) => {
      await tellSummaries(store, stopping);
      const beforeHour = refusalHour(await store.clock()) - 1;
      const forgetSome = (db: Database) => forgetRefusals(db, beforeHour, rowsAtATime);
      await inBatches(() => store.transaction(forgetSome, "soon"), stopping);
    },
  };
}
