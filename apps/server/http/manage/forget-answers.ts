import { dayMs } from "@countersign/domain/dates/lengths";
import { forgetAnswers } from "@countersign/store/queries/idempotency";
import { pause } from "@countersign/store/queries/license-list";
import type { Store } from "@countersign/store/store";
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
      while ((await forgetSome()) === answersAtATime) await pause();
    },
  };
}
