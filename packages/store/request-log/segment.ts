import { minuteMs } from "@countersign/domain/dates/lengths";
import type { RequestKeyRow, RequestLogRow } from "../tables.ts";
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
/** For a key with more rows, reading the whole segment is as fast. */
export const mostTimes = 1_000;

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

/** The keys of the rows of one segment, in the order of their table. The rows are sorted by time. */
export function keysIn(rows: readonly RequestLogRow[], fromAt: number): RequestKeyRow[] {
  const [ips, licenses, organizations] = [new Map(), new Map(), new Map()] as [Found, Found, Found];
  for (const { at, organization_id, license_id, ip } of rows) {
    const time = at - fromAt;
    note(organizations, organization_id, time);
    note(ips, ipKey(organization_id, ip), time);
    if (license_id !== null) note(licenses, license_id, time);
  }
  const keys: RequestKeyRow[] = [];
  for (const [kind, found] of [
    ["i", ips],
    ["l", licenses],
    ["o", organizations],
  ] as const)
    for (const key of [...found.keys()].sort()) keys.push(keyRow(fromAt, kind, key, found.get(key) ?? 0));
  return keys;
}

/** The key of an IP address within an organization. */
export function ipKey(organizationId: string, ip: string): string {
  return `${organizationId} ${ip}`;
}

/** Two entries of one key of one segment, as one. */
export function mergeKeys(one: RequestKeyRow, other: RequestKeyRow): RequestKeyRow {
  const count = one.count + other.count;
  if (one.ats === null || other.ats === null) return { ...one, count, ats: null };
  const times = new Set<number>([...JSON.parse(one.ats), ...JSON.parse(other.ats)]);
  const ats = times.size > mostTimes ? null : JSON.stringify([...times].sort((a, b) => a - b));
  return { ...one, count, ats };
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

/** Most keys occur once: then it is just the time. */
type Found = Map<string, number | Occurrences>;

interface Occurrences {
  count: number;
  /** Distinct and ascending; null if there are many. */
  times: number[] | null;
}

function note(found: Found, key: string, time: number): void {
  const known = found.get(key);
  if (known === undefined) {
    found.set(key, time);
  } else if (typeof known === "number") {
    found.set(key, { count: 2, times: known === time ? [time] : [known, time] });
  } else {
    known.count += 1;
    if (known.times === null || known.times.at(-1) === time) return;
    if (known.times.length === mostTimes) known.times = null;
    else known.times.push(time);
  }
}

function keyRow(
  from_at: number,
  kind: RequestKeyRow["kind"],
  key: string,
  found: number | Occurrences,
): RequestKeyRow {
  if (typeof found === "number") return { from_at, kind, key, count: 1, ats: `[${found}]` };
  const { count, times } = found;
  return { from_at, kind, key, count, ats: times === null ? null : `[${times.join()}]` };
}

/** Measured: numbers, the ID, headers, PostgreSQL's index, and pages that are not quite full. */
const overhead = { sqlite: { perRow: 80, perKey: 25 }, postgres: { perRow: 190, perKey: 120 } };
