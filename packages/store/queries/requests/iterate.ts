import type { Database } from "../../store.ts";
import type { RequestLogRow } from "../../tables/journal.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import type { RequestFilter } from "./filter.ts";
import { type Position, readSpan } from "./read-span.ts";
import { keyOf, type Order, type SpanSizes, spanSizes, type TimeRange } from "./span.ts";
import { spans } from "./spans.ts";

export interface RequestIteration {
  readonly filter: RequestFilter;
  readonly range: TimeRange;
  readonly order: Order;
  /** How many rows are given together at most. */
  readonly rowsTogether?: number;
  readonly sizes?: SpanSizes;
}

const rowsTogether = 1_000;

/**
 * All requests that are meant, in order, as lists of a bounded length. A list can be empty: it is given after each part
 * of the log, so that a caller who looks for few requests can stop in time.
 */
export async function* iterateRequests(
  db: Database,
  { filter, range, order, rowsTogether: limit = rowsTogether, sizes = spanSizes }: RequestIteration,
): AsyncGenerator<readonly RequestLogRow[]> {
  for await (const span of spans(db, keyOf(filter), range, order, sizes)) {
    let after: Position | null = null;
    for (;;) {
      const rows: RequestLogRow[] = await readSpan(db, span, filter, { order, after, limit });
      yield rows;
      // On SQLite, each query blocks its thread.
      await yieldToEventLoop();
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) break;
      after = { at: last.at, id: last.id };
    }
  }
}
