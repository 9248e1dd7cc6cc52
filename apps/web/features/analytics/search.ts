import type { Interval } from "../../ui/chart/bucket-labels.ts";
import { timeInUrl } from "../../ui/time-in-url.ts";

/** Ranges up to now. Those of days and months start with a day on the reader's clock. */
export const quickRanges = ["24h", "today", "7d", "30d", "90d", "12m"] as const;
export type QuickRange = (typeof quickRanges)[number];

export const intervals = ["hour", "day", "week", "month"] as const satisfies readonly Interval[];

/** What the page shows, in its URL. */
export interface AnalyticsSearch {
  /** Undefined for the default, and with `from`. */
  readonly range?: QuickRange | undefined;
  /** A custom range, in UTC. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Undefined for what suits the range. */
  readonly interval?: Interval | undefined;
  /** False if the period before is not shown. */
  readonly compare?: false | undefined;
  /** Undefined for all products. */
  readonly product?: string | undefined;
  /** Undefined for the browser's. Not checked yet: every page loads this file. */
  readonly zone?: string | undefined;
}

export function analyticsSearch(search: Record<string, unknown>): AnalyticsSearch {
  const from = timeInUrl(search.from);
  return {
    range: from === undefined ? quickRanges.find((range) => range === search.range) : undefined,
    from,
    to: from === undefined ? undefined : timeInUrl(search.to),
    interval: intervals.find((interval) => interval === search.interval),
    compare: search.compare === false ? false : undefined,
    product: typeof search.product === "string" && search.product !== "" ? search.product : undefined,
    zone: typeof search.zone === "string" ? search.zone : undefined,
  };
}
