import { dayMs } from "@countersign/domain/dates/lengths";
import { pruneAnswers } from "@countersign/store/queries/api/idempotency";
import type { Store } from "@countersign/store/store";
import { inBatches } from "../jobs/in-batches.ts";
import type { PeriodicJob } from "../jobs/periodic-jobs.ts";

const everyMs = 10 * 60_000;
/** The size of one transaction: a response that lists thousands of licenses has megabytes. */
const answersAtATime = 20;
const keptForMs = dayMs;

/** Stored responses are for programs that retry, which they do within minutes. */
export function answerPruning(store: Store): PeriodicJob {
  return {
    name: "forget kept answers",
    everyMs,
    run: async (stopping) => {
      const beforeMs = (await store.clock()) - keptForMs;
      const pruneSome = () => store.transaction((db) => pruneAnswers(db, beforeMs, answersAtATime), "soon");
      await inBatches(async () => (await pruneSome()) === answersAtATime, stopping);
    },
  };
}
