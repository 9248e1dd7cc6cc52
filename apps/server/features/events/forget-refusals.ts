import { refusalHour } from "@countersign/domain/events/refusal";
import { forgetRefusals } from "@countersign/store/queries/expiries";
import type { Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/yield-to-event-loop";
import type { Chore } from "../../jobs/chores.ts";
import { tellSummaries } from "./tell-summaries.ts";

const rowsAtATime = 200;

/** Records the summaries of past hours, and then prunes their rejections. One hour is kept, because clocks differ. */
export function refusalForgetting(store: Store): Chore {
  return {
    name: "forget refusals",
    everyMs: 60_000,
    run: async () => {
      await tellSummaries(store);
      const beforeHour = refusalHour(await store.clock()) - 1;
      while (await store.transaction((db) => forgetRefusals(db, beforeHour, rowsAtATime), "soon"))
        await yieldToEventLoop();
    },
  };
}
