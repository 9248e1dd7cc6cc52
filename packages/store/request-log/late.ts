import type { RequestLogRow } from "../tables/journal.ts";

/** The bounds of a segment. */
export interface Bounds {
  readonly from_at: number;
  readonly until_at: number;
}

/** Rows that belong to one segment, which exists already or is new. */
interface Placed extends Bounds {
  readonly isNew: boolean;
  readonly rows: readonly RequestLogRow[];
}

/**
 * Which segments late rows belong to: rows of one day that were written after the part of the log around them was closed.
 * Rows between two segments get a new one. The rows are sorted by time, and the segments are all those of the day.
 */
export function placeLate(rows: readonly RequestLogRow[], segments: readonly Bounds[]): Placed[] {
  const placed: Placed[] = [];
  const ordered = segments.toSorted((a, b) => a.from_at - b.from_at);
  let next = 0;
  let at = 0;
  while (at < rows.length) {
    const first = rows[at] as RequestLogRow;
    while ((ordered[next]?.until_at ?? Number.POSITIVE_INFINITY) <= first.at) next += 1;
    const segment = ordered[next];
    const covers = segment !== undefined && segment.from_at <= first.at;
    const end = covers ? segment.until_at : (segment?.from_at ?? Number.POSITIVE_INFINITY);
    const start = at;
    while (at < rows.length && (rows[at] as RequestLogRow).at < end) at += 1;
    const own = rows.slice(start, at);
    const { from_at, until_at } = covers
      ? segment
      : { from_at: first.at, until_at: (own.at(-1) as RequestLogRow).at + 1 };
    placed.push({ from_at, until_at, isNew: !covers, rows: own });
  }
  return placed;
}
