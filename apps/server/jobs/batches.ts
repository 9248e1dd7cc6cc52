import type { Database, Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";

const maxRestMs = 100;

/**
 * Runs one transaction at a time of a long deletion, and then pauses for as long as it took: other writers get at least
 * half of the time.
 */
export function restingSteps(store: Store): <T>(work: (db: Database) => Promise<T>) => Promise<T> {
  return async (work) => {
    const startMs = performance.now();
    const result = await store.transaction(work, "soon");
    const restMs = Math.min(maxRestMs, performance.now() - startMs);
    await new Promise((resolve) => setTimeout(resolve, restMs));
    return result;
  };
}

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

/** Deletes this many rows per transaction, until `deleteRows` returns that there were fewer. */
export async function deleteInBatches(
  store: Store,
  rowsAtOnce: number,
  stopping: AbortSignal,
  deleteRows: (db: Database, limit: number) => Promise<number>,
): Promise<void> {
  const deleteBatch = (db: Database) => deleteRows(db, rowsAtOnce);
  await inBatches(async () => (await store.transaction(deleteBatch, "soon")) >= rowsAtOnce, stopping);
}

/**
 * Yields what `read` finds, slice by slice, until one is not full or the server stops; requests go first in between.
 * `read` is passed the last item of the slice before, to continue after it, unless what was found is done with and is
 * no longer found.
 */
export async function* slicesOf<Item>(
  size: number,
  stopping: AbortSignal,
  read: (last: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[], void> {
  let last: Item | undefined;
  while (!stopping.aborted) {
    const slice = await read(last);
    if (slice.length > 0) yield slice;
    if (slice.length < size) return;
    last = slice.at(-1);
    await yieldToEventLoop();
  }
}

/**
 * Repeats a step that returns how much it did, until it did nothing. Once a minute is not enough for a single step: a
 * busy server adds more rows in a minute than one step removes.
 */
export async function repeatUntilZero(
  step: () => Promise<number>,
  rest: () => Promise<void>,
  isClosing: () => boolean,
): Promise<void> {
  while (!isClosing() && (await step()) > 0) await rest();
}
