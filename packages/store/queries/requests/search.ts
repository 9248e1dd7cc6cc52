import { timeOfUuid } from "@countersign/domain/ids/uuid";
import { dayOf, existingDays, logOf, startOfDay } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";
import type { RequestLogRow } from "../../tables/journal.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import { everyRequest, filtered, type RequestFilter } from "./filter.ts";
import { type Position, readSpan } from "./read-span.ts";
import { keyOf, type Order, ofDay, type SpanSizes, spanSizes, type TimeRange } from "./span.ts";
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
  readonly timeoutMs: number;
  readonly maxRows: number;
  readonly sizes?: SpanSizes;
}

export const searchBounds: SearchBounds = {
  clock: () => performance.now(),
  timeoutMs: 300,
  maxRows: 1_000_000,
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
  const deadlineMs = bounds.clock() + bounds.timeoutMs;
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
    if (span.fromMs > range.fromMs && (read >= bounds.maxRows || bounds.clock() >= deadlineMs)) {
      return { rows, next: { at: span.fromMs, id: "" }, searchedUntilMs: span.fromMs };
    }
    // On SQLite, each query blocks its thread.
    await yieldToEventLoop();
  }
  return { rows, next: null, searchedUntilMs: null };
}

/**
 * How long after the time in its ID a request was decided. Nearly all take milliseconds; a slow body takes seconds. The
 * row that sums up the requests over a limit is written at the end of their minute, with the first one's ID. The clocks
 * of servers and of the database differ a little.
 */
const windows: readonly (readonly [beforeMs: number, afterMs: number])[] = [
  [0, 100],
  [100, 1_000],
  [1_000, 10_000],
  [10_000, 20_000],
  [20_000, 90_000],
];

/** The request with the ID in `filter`, if it is meant and within the range. */
export async function requestById(
  db: Database,
  filter: RequestFilter,
  range: TimeRange = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER },
): Promise<RequestLogRow | null> {
  const arrivedMs = timeOfUuid(filter.requestId ?? "");
  if (arrivedMs === null) return null;
  const days = await existingDays(db);
  let searched = { fromMs: arrivedMs, untilMs: arrivedMs };
  for (const [beforeMs, afterMs] of windows) {
    const window = { fromMs: arrivedMs - beforeMs, untilMs: arrivedMs + afterMs };
    const row =
      (await rowIn(db, days, filter, range, { fromMs: searched.untilMs, untilMs: window.untilMs })) ??
      (await rowIn(db, days, filter, range, { fromMs: window.fromMs, untilMs: searched.fromMs }));
    if (row !== null) return row;
    searched = window;
  }
  return null;
}

async function rowIn(
  db: Database,
  days: readonly number[],
  filter: RequestFilter,
  range: TimeRange,
  window: TimeRange,
): Promise<RequestLogRow | null> {
  const fromMs = Math.max(range.fromMs, window.fromMs);
  const untilMs = Math.min(range.untilMs, window.untilMs);
  for (const day of days.filter((one) => startOfDay(one) < untilMs && startOfDay(one + 1) > fromMs)) {
    const query = filtered(db.selectFrom(logOf(day)).selectAll(), filter)
      .where("at", ">=", Math.max(fromMs, startOfDay(day)))
      .where("at", "<", Math.min(untilMs, startOfDay(day + 1)))
      .limit(1);
    const [row] = await ofDay(query.execute());
    if (row !== undefined) return row;
  }
  return null;
}

export interface RequestIteration {
  readonly filter: RequestFilter;
  readonly range: TimeRange;
  readonly order: Order;
  /** Only requests of these licenses, of which there can be thousands. */
  readonly licenses?: ReadonlySet<string>;
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
  { filter, range, order, licenses, rowsTogether: limit = rowsTogether, sizes = spanSizes }: RequestIteration,
): AsyncGenerator<readonly RequestLogRow[]> {
  const key = licenses === undefined ? keyOf(filter) : ({ kind: "l", keys: [...licenses] } as const);
  if (key.keys.length === 0) return;
  for await (const span of spans(db, key, range, order, sizes)) {
    let after: Position | null = null;
    for (;;) {
      const rows: RequestLogRow[] = await readSpan(db, span, filter, { order, after, limit });
      yield licenses === undefined ? rows : rows.filter((row) => licenses.has(row.license_id ?? ""));
      // On SQLite, each query blocks its thread.
      await yieldToEventLoop();
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) break;
      after = { at: last.at, id: last.id };
    }
  }
}

/** The newest validate request of a product since then, except of the sandbox, as far as a bounded search finds it. */
export async function lastValidation(
  db: Database,
  { id, organization_id }: { readonly id: string; readonly organization_id: string },
  sinceMs: number,
  { clock, timeoutMs }: SearchBounds = searchBounds,
): Promise<RequestLogRow | undefined> {
  const deadlineMs = clock() + timeoutMs;
  const lists = iterateRequests(db, {
    filter: { ...everyRequest(organization_id), productId: id, endpoint: "validate", sandbox: false },
    range: { fromMs: sinceMs, untilMs: Number.MAX_SAFE_INTEGER },
    order: "newest",
    rowsTogether: 1,
  });
  for await (const [newest] of lists) if (newest !== undefined || clock() >= deadlineMs) return newest;
  return undefined;
}

/** The newest requests of an organization since a time, the newest first. For times that are seconds ago. */
export async function newestRequests(
  db: Database,
  organizationId: string,
  sinceMs: number,
  limit: number,
): Promise<RequestLogRow[]> {
  const rows: RequestLogRow[] = [];
  for (const day of await daysSince(db, sinceMs)) {
    const span = { day, fromMs: sinceMs, untilMs: startOfDay(day + 1), times: null, rows: limit };
    const page = { order: "newest", after: null, limit: limit - rows.length } as const;
    if (page.limit > 0) rows.push(...(await readSpan(db, span, everyRequest(organizationId), page)));
  }
  return rows;
}

/** How many entries of an organization the log has within a short time. */
export async function countEntries(
  db: Database,
  organizationId: string,
  { fromMs, untilMs }: TimeRange,
): Promise<number> {
  let count = 0;
  for (const day of await daysSince(db, fromMs)) {
    const [row] = await ofDay(
      filtered(db.selectFrom(logOf(day)), everyRequest(organizationId))
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("at", ">=", fromMs)
        .where("at", "<", untilMs)
        .execute(),
    );
    count += Number(row?.count ?? 0);
  }
  return count;
}

async function daysSince(db: Database, ms: number): Promise<number[]> {
  return (await existingDays(db)).filter((day) => day >= dayOf(ms));
}
