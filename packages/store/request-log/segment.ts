import { minuteMs } from "@countersign/domain/dates/lengths";
import type { RequestKeyRow, RequestLogRow } from "../tables/journal.ts";
import { dayOf, startOfDay } from "./tables.ts";

/**
 * The log is divided into segments. A segment is closed once it is large or old enough: its rows are read once, and the
 * keys that occur in it are written together, in the order of their table. An index would have to be updated with every
 * row, at many times the cost.
 */
export const rowsPerSegment = 20_000;
export const oldestOpenMs = 15 * minuteMs;
/** Rows are written a moment after they are decided, and those of several nodes in any order. */
export const settledAfterMs = 5_000;

/** Where the next segment can end: within the day of its first row. */
export function horizon(firstAt: number, nowMs: number): number {
  return Math.min(nowMs - settledAfterMs, startOfDay(dayOf(firstAt) + 1));
}

/** Whether a segment with so many rows before its horizon is closed now. */
export function isDue(firstAt: number, rows: number, nowMs: number): boolean {
  return rows > rowsPerSegment || (rows > 0 && nowMs - firstAt >= oldestOpenMs);
}

/**
 * The first rows, at most as many as a segment has, from one more than that in their order. Rows of the same millisecond
 * are never divided, because their times are what identifies them; empty if more than a segment's rows have the same.
 */
export function wholeMilliseconds(rows: readonly RequestLogRow[]): readonly RequestLogRow[] {
  const next = rows[rowsPerSegment];
  if (next === undefined) return rows;
  let end = rowsPerSegment;
  while (end > 0 && rows[end - 1]?.at === next.at) end -= 1;
  return rows.slice(0, end);
}

/** About how many bytes the rows and keys of a segment take on disk. */
export function storedBytes(
  kind: "sqlite" | "postgres",
  rows: readonly RequestLogRow[],
  keys: readonly RequestKeyRow[],
): number {
  const { perRow, perKey } = overhead[kind];
  let bytes = rows.length * perRow + keys.length * perKey;
  for (const row of rows) {
    bytes += 2 * row.organization_id.length + row.endpoint.length + row.status.length + row.ip.length;
    for (const text of [row.license_id, row.version, row.device_id, row.problem, row.facts])
      if (text !== null) bytes += text.length;
  }
  for (const { key, ats } of keys) bytes += key.length + (ats?.length ?? 0);
  return bytes;
}

/** Measured: numbers, the ID, headers, PostgreSQL's index, and pages that are not quite full. */
const overhead = { sqlite: { perRow: 102, perKey: 25 }, postgres: { perRow: 190, perKey: 120 } };

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
