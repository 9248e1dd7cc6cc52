import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";

/** For work that is not stopped before it is complete. */
export const neverAborted = new AbortController().signal;

/**
 * Repeats `batch`, which is one transaction, until it returns that there is no more. Requests go first in between: on
 * SQLite, validations wait while a transaction runs. When the server stops, the rest is left for later.
 */
export async function inBatches(
  batch: () => Promise<boolean>,
  stopping: AbortSignal = neverAborted,
): Promise<void> {
  while (!stopping.aborted && (await batch())) await yieldToEventLoop();
}
