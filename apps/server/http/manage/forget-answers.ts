import { forgetAnswers } from "@countersign/store/queries/idempotency";
import type { Store } from "@countersign/store/store";
import type { Chore } from "../../jobs/chores.ts";

const everyMs = 10 * 60_000;
const keptForMs = 24 * 60 * 60_000;

/** Kept answers are for programs that try again, which they do within minutes. */
export function answerForgetting(store: Store): Chore {
  return {
    name: "forget kept answers",
    everyMs,
    run: () => store.transaction((db) => forgetAnswers(db, Date.now() - keptForMs)),
  };
}
