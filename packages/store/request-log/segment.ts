import { minuteMs } from "@countersign/domain/dates/lengths";
import type { Geo } from "../rollups/geo.ts";
import { RecentUse } from "../rollups/recent-use.ts";
import { rollUp } from "../rollups/roll-up.ts";
import type { RequestKeyRow, RequestLogRow } from "../tables/journal.ts";
import { keysIn, mergeKeys } from "./keys.ts";
import type { RequestLog } from "./request-log.ts";
import { byTime, dayOf, logColumns, logTable, startOfDay } from "./tables.ts";

/**
 * The log is divided into segments. A segment is closed once it is large or old enough: its rows are read once, and the
 * keys that occur in it are written together, in the order of their table. An index would have to be updated with every
 * row, at many times the cost.
 */
export const rowsPerSegment = 20_000;
export const oldestOpenMs = 15 * minuteMs;
/** Rows are written a moment after they are decided, and those of several nodes in any order. */
export const settledAfterMs = 5_000;

/** Adds rows to segments. Every method but `isNextDue` runs in a transaction that the caller has begun. */
export class Segments {
  readonly #geo: () => Geo | null;
  readonly #recent = new RecentUse();

  constructor(geo: () => Geo | null) {
    this.#geo = geo;
  }

  async isNextDue(log: RequestLog, nowMs: number): Promise<boolean> {
    const first = await log.firstOpenAt();
    return first !== null && (await isDueFrom(log, first, nowMs));
  }

  /** As `Journal.closeSegment`. */
  async closeNext(log: RequestLog, nowMs: number): Promise<number> {
    const first = await log.firstOpenAt();
    if (first === null || !(await isDueFrom(log, first, nowMs))) return 0;
    const rows = await rowsFrom(log, first, nowMs);
    const untilAt = (rows.at(-1) as RequestLogRow).at + 1;
    await this.#add(log, rows, { from_at: first, until_at: untilAt }, nowMs);
    await log.change("update request_log_state set closed_until = $1 where id = 1", untilAt);
    return rows.length;
  }

  /** Rows before the time until which the log is closed. */
  async addLate(log: RequestLog, late: readonly RequestLogRow[]): Promise<void> {
    for (const [day, rows] of Map.groupBy(late.toSorted(byTime), ({ at }) => dayOf(at))) {
      const segments = await log.rows<Bounds>(
        "select from_at, until_at from request_segments where from_at >= $1 and from_at < $2",
        startOfDay(day),
        startOfDay(day + 1),
      );
      for (const { isNew, rows: rowsOfSegment, ...bounds } of placeLate(rows, segments)) {
        if (isNew) await this.#add(log, rowsOfSegment, bounds, Date.now());
        else await this.#addToExisting(log, rowsOfSegment, bounds);
      }
    }
  }

  async #add(
    log: RequestLog,
    rows: readonly RequestLogRow[],
    { from_at, until_at }: Bounds,
    nowMs: number,
  ): Promise<void> {
    const keys = keysIn(rows, from_at);
    await log.writeKeys(keys);
    await log.change(
      "insert into request_segments (from_at, until_at, rows, bytes, closed_at) values ($1, $2, $3, $4, $5)",
      from_at,
      until_at,
      rows.length,
      storedBytes(log.kind, rows, keys),
      nowMs,
    );
    await this.#rollUp(log, rows);
  }

  async #addToExisting(log: RequestLog, rows: readonly RequestLogRow[], { from_at }: Bounds): Promise<void> {
    const keys = keysIn(rows, from_at);
    const stored = await log.storedKeys(from_at, keys);
    const known = new Map(stored.map((row) => [`${row.kind} ${row.key}`, row]));
    await log.writeKeys(
      keys.map((key) => {
        const before = known.get(`${key.kind} ${key.key}`);
        return before === undefined ? key : mergeKeys(before, key);
      }),
    );
    await log.change(
      "update request_segments set rows = rows + $1, bytes = bytes + $2 where from_at = $3",
      rows.length,
      storedBytes(log.kind, rows, keys),
      from_at,
    );
    await this.#rollUp(log, rows);
  }

  /** Rows are added to the roll-ups in the transaction that adds them to a segment, so the two always agree. */
  async #rollUp(log: RequestLog, rows: readonly RequestLogRow[]): Promise<void> {
    await log.writeRollUps(rollUp(rows, this.#geo(), this.#recent));
  }
}

async function isDueFrom(log: RequestLog, first: number, nowMs: number): Promise<boolean> {
  const [open] = await log.rows<{ count: number }>(
    `select count(*) as count from
      (select 1 from ${tableOf(log, first)} where at >= $1 and at < $2 limit $3) as open`,
    first,
    horizon(first, nowMs),
    rowsPerSegment + 1,
  );
  return isDue(first, open?.count ?? 0, nowMs);
}

/** The rows of the segment that starts with this one. */
async function rowsFrom(log: RequestLog, first: number, nowMs: number): Promise<readonly RequestLogRow[]> {
  const columns = logColumns.join();
  const table = tableOf(log, first);
  const rows = wholeMilliseconds(
    await log.rows<RequestLogRow>(
      `select ${columns} from ${table} where at >= $1 and at < $2 order by at, id limit $3`,
      first,
      horizon(first, nowMs),
      rowsPerSegment + 1,
    ),
  );
  if (rows.length > 0) return rows;
  return log.rows<RequestLogRow>(`select ${columns} from ${table} where at = $1 order by id`, first);
}

/** The tables of a day may be dropped at any time by another node, which a query of all days does not notice. */
function tableOf(log: RequestLog, at: number): string {
  return log.kind === "postgres" ? "request_log" : logTable(dayOf(at));
}

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
interface Bounds {
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
function placeLate(rows: readonly RequestLogRow[], segments: readonly Bounds[]): Placed[] {
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
    const segmentRows = rows.slice(start, at);
    const { from_at, until_at } = covers
      ? segment
      : { from_at: first.at, until_at: (segmentRows.at(-1) as RequestLogRow).at + 1 };
    placed.push({ from_at, until_at, isNew: !covers, rows: segmentRows });
  }
  return placed;
}
