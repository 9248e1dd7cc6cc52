import { addDuration } from "@countersign/domain/dates/duration";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { lastMomentAt, localTime, startOfDay } from "@countersign/domain/dates/time-zone";
import type { Interval } from "../../ui/chart/bucket-labels.ts";
import type { AnalyticsSearch, QuickRange } from "./search.ts";

export const defaultRange: QuickRange = "30d";

interface Range {
  readonly from: string;
  /** Undefined for now, so that the range moves on. */
  readonly to?: string;
}

/** The range of a search, on the clocks of a time zone. */
export function rangeOf({ range, from, to }: AnalyticsSearch, timeZone: string, nowMs: number): Range {
  if (from !== undefined) return { from, ...(to === undefined ? {} : { to }) };
  return { from: new Date(startOf(range ?? defaultRange, timeZone, nowMs)).toISOString() };
}

function startOf(range: QuickRange, timeZone: string, nowMs: number): number {
  const today = localTime(nowMs, timeZone).slice(0, 10);
  switch (range) {
    case "24h":
      // The current hour, and 23 before it.
      return Math.floor(nowMs / hourMs) * hourMs - 23 * hourMs;
    case "today":
      return startOfDay(today, timeZone);
    case "7d":
      return startOfDay(daysBefore(today, 6), timeZone);
    case "30d":
      return startOfDay(daysBefore(today, 29), timeZone);
    case "90d":
      return startOfDay(daysBefore(today, 89), timeZone);
    case "12m":
      return startOfDay(monthsBefore(today, 11), timeZone);
  }
}

function daysBefore(day: string, count: number): string {
  return new Date(Date.parse(day) - count * dayMs).toISOString().slice(0, 10);
}

/** The first day of a month. */
function monthsBefore(day: string, count: number): string {
  const [year = 0, month = 1] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 - count, 1)).toISOString().slice(0, 10);
}

/**
 * The start of the period before that has as many buckets, so that each bucket is compared with one of the same kind:
 * a day with a day, even if clocks change in between.
 */
export function startOfBefore(from: string, interval: Interval, count: number, timeZone: string): string {
  const ms = Date.parse(from);
  const start =
    interval === "hour"
      ? ms - count * hourMs
      : interval === "month"
        ? addDuration(ms, { months: -count, days: 0 }, timeZone)
        : addDuration(ms, { months: 0, days: -count * (interval === "week" ? 7 : 1) }, timeZone);
  return new Date(start).toISOString();
}

/** The time that a field without a zone means on the clocks of a time zone, as ISO 8601; null while it is no time. */
export function instantOf(local: string, timeZone: string): string | null {
  const ms = Date.parse(`${local}Z`);
  if (local === "" || Number.isNaN(ms)) return null;
  // Of a skipped hour, the time at which clocks go forward.
  return new Date(lastMomentAt(ms - 1, timeZone) + 1).toISOString();
}
