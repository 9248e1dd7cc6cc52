import { dayMs } from "@countersign/domain/dates/lengths";
import { forgetAnswers } from "@countersign/store/queries/idempotency";
import type { Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/yield-to-event-loop";
import type { Chore } from "../../jobs/chores.ts";

const everyMs = 10 * 60_000;
/** The size of one transaction: a response that lists thousands of licenses has megabytes. */
const answersAtATime = 20;
const keptForMs = dayMs;

/** Stored responses are for programs that retry, which they do within minutes. */
export function answerForgetting(store: Store): Chore {
  return {
    name: "forget kept answers",
    everyMs,
    run: async () => {
      const beforeMs = (await store.clock()) - keptForMs;
      const forgetSome = () => store.transaction((db) => forgetAnswers(db, beforeMs, answersAtATime), "soon");
      while ((await forgetSome()) === answersAtATime) await yieldToEventLoop();
    },
  };
}
