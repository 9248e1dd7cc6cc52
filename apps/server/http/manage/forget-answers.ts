import { dayMs } from "@countersign/domain/dates/lengths";
import { forgetAnswers } from "@countersign/store/queries/idempotency";
import type { Store } from "@countersign/store/store";
import type { Chore } from "../../jobs/chores.ts";
import { inBatches } from "../../jobs/in-batches.ts";

const everyMs = 10 * 60_000;
/** The size of one transaction: a response that lists thousands of licenses has megabytes. */
const answersAtATime = 20;
const keptForMs = dayMs;

/** Stored responses are for programs that retry, which they do within minutes. */
export function answerForgetting(store: Store): Chore {
  return {
    name: "forget kept answers",
    everyMs,
    run: async (stopping) => {
      const beforeMs = (await store.clock()) - keptForMs;
      const forgetSome = () => store.transaction((db) => forgetAnswers(db, beforeMs, answersAtATime), "soon");
      await inBatches(async () => (await forgetSome()) === answersAtATime, stopping);
    },
  };
}
