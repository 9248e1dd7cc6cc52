import type { Database } from "../../store.ts";
import type { RequestLogRow } from "../../tables/journal.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import { requestById } from "./by-id.ts";
import type { RequestFilter } from "./filter.ts";
import { type Position, readSpan } from "./read-span.ts";
import { keyOf, type SpanSizes, spanSizes, type TimeRange } from "./span.ts";
import { spans } from "./spans.ts";

export interface RequestSearch {
  readonly filter: RequestFilter;
  readonly range: TimeRange;
  /** Where the previous page ended. */
  readonly after: Position | null;
  readonly limit: number;
}

/** When a search stops although it found less than it could. */
export interface SearchBounds {
  /** Any clock, in milliseconds. */
  readonly clock: () => number;
  readonly longestMs: number;
  readonly mostRows: number;
  readonly sizes?: SpanSizes;
}

export const searchBounds: SearchBounds = {
  clock: () => performance.now(),
  longestMs: 300,
  mostRows: 1_000_000,
};

export interface FoundRequests {
  /** Newest first. */
  readonly rows: readonly RequestLogRow[];
  /** Where the next page continues; null if this is the last. */
  readonly next: Position | null;
  /** If it stopped early: everything from this time on was searched. */
  readonly searchedUntilMs: number | null;
}

/**
 * Requests of an organization, newest first. License, IP address and request ID are found by an index; other conditions
 * are checked row by row, so that a search ends after a bounded time and says how far it came.
 */
export async function searchRequests(
  db: Database,
  { filter, range, after, limit }: RequestSearch,
  bounds: SearchBounds = searchBounds,
): Promise<FoundRequests> {
  const untilMs = after === null ? range.untilMs : Math.min(range.untilMs, after.at + 1);
  const meant = { ...range, untilMs };
  if (filter.requestId !== null) {
    const row = await requestById(db, filter, meant);
    const isNext = row !== null && (after === null || row.at < after.at || row.id < after.id);
    return { rows: isNext ? [row] : [], next: null, searchedUntilMs: null };
  }
  const rows: RequestLogRow[] = [];
  const deadlineMs = bounds.clock() + bounds.longestMs;
  let read = 0;
  for await (const span of spans(db, keyOf(filter), meant, "newest", bounds.sizes ?? spanSizes)) {
    // One more than asked for tells whether there is another page.
    const page = { order: "newest", after, limit: limit + 1 - rows.length } as const;
    rows.push(...(await readSpan(db, span, filter, page)));
    if (rows.length > limit) {
      rows.length = limit;
      const { at, id } = rows[limit - 1] as RequestLogRow;
      return { rows, next: { at, id }, searchedUntilMs: null };
    }
    read += span.rows;
    if (span.fromMs > range.fromMs && (read >= bounds.mostRows || bounds.clock() >= deadlineMs)) {
      return { rows, next: { at: span.fromMs, id: "" }, searchedUntilMs: span.fromMs };
    }
    // On SQLite, each query blocks its thread.
    await yieldToEventLoop();
  }
  return { rows, next: null, searchedUntilMs: null };
}
