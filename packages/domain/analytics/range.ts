import { dayMs, hourMs } from "../dates/lengths.ts";
import { localTime, startOfDay } from "../dates/time-zone.ts";

export type Interval = "hour" | "day" | "week" | "month";

/** Full UTC hours since 1970: from the first to the last, which is not part of it. */
export interface HourRange {
  readonly from: number;
  readonly to: number;
}

const defaultDays = 30;

/** Null if it is empty or starts in the future. It ends with the current hour at the latest. */
export function hourRange(
  bounds: { readonly fromMs: number | null; readonly toMs: number | null },
  timeZone: string,
  nowMs: number,
): HourRange | null {
  const end = Math.floor(nowMs / hourMs) + 1;
  const to = bounds.toMs === null ? end : Math.min(Math.ceil(bounds.toMs / hourMs), end);
  const from =
    bounds.fromMs === null
      ? Math.ceil(startOfDay(daysBefore(to * hourMs - 1, defaultDays - 1, timeZone), timeZone) / hourMs)
      : Math.floor(bounds.fromMs / hourMs);
  return from < to && from >= 0 ? { from, to } : null;
}

/** The period before, of the same length. */
export function previousRange({ from, to }: HourRange): HourRange {
  return { from: from - (to - from), to: from };
}

/** Few enough buckets to look at, and enough to see something. */
export function usualInterval({ from, to }: HourRange): Interval {
  const days = (to - from) / 24;
  if (days <= 3) return "hour";
  if (days <= 93) return "day";
  return days <= 367 ? "week" : "month";
}

/**
 * The first hours of the buckets of a range, in order. A bucket starts where the clocks of the time zone start a day, a
 * week or a month, or at the next full UTC hour. The first one starts with the range. Null if there are more than `most`.
 */
export function bucketStarts(
  range: HourRange,
  interval: Interval,
  timeZone: string,
  most: number,
): number[] | null {
  const starts = [range.from];
  let last = range.from;
  for (const start of interval === "hour" ? hoursAfter(range) : daysAfter(range, interval, timeZone)) {
    if (start >= range.to) break;
    if (start <= last) continue;
    if (starts.length >= most) return null;
    starts.push(start);
    last = start;
  }
  return starts;
}

/** Which bucket an hour of the range belongs to. */
export function bucketOf(starts: readonly number[], hour: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= hour) low = middle;
    else high = middle;
  }
  return low;
}

function* hoursAfter({ from }: HourRange): Generator<number> {
  for (let hour = from + 1; ; hour++) yield hour;
}

/** The first hours of the days, weeks or months of a time zone that start after the start of the range. */
function* daysAfter(
  { from }: HourRange,
  interval: Exclude<Interval, "hour">,
  timeZone: string,
): Generator<number> {
  const day = new Date(`${localTime(from * hourMs, timeZone).slice(0, 10)}T00:00:00Z`);
  if (interval === "month") day.setUTCDate(1);
  // Weeks start on Monday.
  if (interval === "week") day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  for (;;) {
    if (interval === "month") day.setUTCMonth(day.getUTCMonth() + 1);
    else day.setUTCDate(day.getUTCDate() + (interval === "week" ? 7 : 1));
    yield Math.ceil(startOfDay(day.toISOString().slice(0, 10), timeZone) / hourMs);
  }
}

function daysBefore(atMs: number, days: number, timeZone: string): string {
  const today = Date.parse(`${localTime(atMs, timeZone).slice(0, 10)}T00:00:00Z`);
  return new Date(today - days * dayMs).toISOString().slice(0, 10);
}
