import { addDuration } from "@countersign/domain/dates/duration";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { lastMomentAt, localTime, startOfDay, timeZoneName } from "@countersign/domain/dates/time-zone";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Answer, type Query, urlOf } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { browserTimeZone } from "../../i18n/shown-time-zone.ts";
import { useOrganization } from "../../session/current-organization.ts";
import type { Interval } from "../../ui/chart/bucket-labels.ts";
import type { AnalyticsSearch, QuickRange } from "./search.ts";

export type Analytics = Answer<"getAnalytics">;
type Table = Query<"exportAnalytics">["table"];

/** Counts are kept this long. */
const keptMs = 396 * dayMs;
const refreshMs = 60_000;

/** The figures of a search. While another range loads, the previous one stays. */
export function useAnalytics(search: AnalyticsSearch, productId: string | undefined) {
  const { id } = useOrganization();
  const params = { organization_id: id };
  const timeZone = timeZoneName(search.zone ?? "") ?? browserTimeZone();
  // The same within an hour or a day, so that it can be cached.
  const range = rangeOf(search, timeZone, Date.now());
  const scope = { ...range, time_zone: timeZone, product_id: productId };
  const { interval } = search;
  const options = { placeholderData: keepPreviousData, refetchInterval: refreshMs } as const;
  const main = useQuery({ ...ask("getAnalytics", { params, query: { ...scope, interval } }), ...options });
  const isCompared = search.compare !== false;
  const { data } = main;
  const beforeFrom =
    data === undefined ? null : startOfBefore(data.from, data.interval, data.buckets.length, data.time_zone);
  const isKept = beforeFrom !== null && Date.now() - Date.parse(beforeFrom) < keptMs;
  const before = useQuery({
    ...ask("getAnalytics", {
      params,
      query: { ...scope, from: beforeFrom ?? "", to: data?.from ?? "", interval: data?.interval },
    }),
    enabled: isCompared && isKept && data !== undefined && !main.isPlaceholderData,
    staleTime: 10 * refreshMs,
  });
  const csv = (table: Table) => urlOf("exportAnalytics", { params, query: { ...scope, interval, table } });
  return {
    timeZone,
    scope,
    data,
    error: main.error,
    isRefreshing: main.isPlaceholderData,
    isCompared,
    /** The buckets of the period before, in the same order; undefined if they are not shown, or have no requests. */
    before: isCompared && isKept && hasRequests(before.data) ? before.data?.buckets : undefined,
    /** Whether the period before is too long ago. */
    isBeforeGone: isCompared && data !== undefined && !isKept,
    csv,
  };
}

/** A line of zeros would only be in the way. */
function hasRequests(data: Analytics | undefined): boolean {
  return data !== undefined && data.totals.requests > 0;
}

export type AnalyticsState = ReturnType<typeof useAnalytics>;

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
