import { dayMs } from "@countersign/domain/dates/lengths";
import { timeZoneName } from "@countersign/domain/dates/time-zone";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Answer, type Query, urlOf } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { browserTimeZone } from "../../i18n/shown-time-zone.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { rangeOf, startOfBefore } from "./range.ts";
import type { AnalyticsSearch } from "./search.ts";

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
  const scope = {
    ...range,
    time_zone: timeZone,
    ...(productId === undefined ? {} : { product_id: productId }),
  };
  const interval = search.interval === undefined ? {} : { interval: search.interval };
  const options = { placeholderData: keepPreviousData, refetchInterval: refreshMs } as const;
  const main = useQuery({ ...ask("getAnalytics", { params, query: { ...scope, ...interval } }), ...options });
  const isCompared = search.compare !== false;
  const { data } = main;
  const beforeFrom =
    data === undefined ? null : startOfBefore(data.from, data.interval, data.buckets.length, data.time_zone);
  const isKept = beforeFrom !== null && Date.now() - Date.parse(beforeFrom) < keptMs;
  const before = useQuery({
    ...ask("getAnalytics", {
      params,
      query: {
        ...scope,
        from: beforeFrom ?? "",
        to: data?.from ?? "",
        ...(data === undefined ? {} : { interval: data.interval }),
      },
    }),
    enabled: isCompared && isKept && data !== undefined && !main.isPlaceholderData,
    staleTime: 10 * refreshMs,
  });
  const csv = (table: Table) => urlOf("exportAnalytics", { params, query: { ...scope, ...interval, table } });
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
