import { offsetAt } from "@countersign/domain/dates/time-zone";
import type { Point } from "./series.ts";

export type Interval = "hour" | "day" | "week" | "month";

interface Bucket {
  readonly from: string;
  /** Not part of it. */
  readonly to: string;
}

interface Shown {
  readonly interval: Interval;
  readonly timeZone: string;
  readonly language: string;
}

/** How buckets are called, on the axis and in full, on the clocks of a time zone. */
export function bucketPoints(buckets: readonly Bucket[], { interval, timeZone, language }: Shown): Point[] {
  const short = shortFormat(interval, timeZone, language, spansYears(buckets, timeZone));
  const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone });
  const full = fullFormat(interval, language, timeZone, changesClocks(buckets, timeZone));
  return buckets.map(({ from, to }) => {
    const start = new Date(from);
    // The last moment, not the next bucket's first.
    const end = new Date(Date.parse(to) - 1);
    const isMidnight = interval === "hour" && isStartOfDay(start, timeZone);
    return {
      key: from,
      short: (isMidnight ? day : short).format(start),
      full: interval === "day" || interval === "month" ? full.format(start) : full.formatRange(start, end),
    };
  });
}

function shortFormat(interval: Interval, timeZone: string, language: string, hasYears: boolean) {
  if (interval === "hour") return new Intl.DateTimeFormat(language, { timeStyle: "short", timeZone });
  if (interval === "month")
    return new Intl.DateTimeFormat(language, {
      month: "short",
      ...(hasYears ? { year: "2-digit" } : {}),
      timeZone,
    });
  return new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone });
}

function fullFormat(interval: Interval, language: string, timeZone: string, namesZone: boolean) {
  if (interval === "month")
    return new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone });
  if (interval === "day") return new Intl.DateTimeFormat(language, { dateStyle: "full", timeZone });
  if (interval === "week") return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone });
  return new Intl.DateTimeFormat(language, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "numeric",
    minute: "2-digit",
    // When clocks are put back, an hour comes twice: the zone tells them apart.
    ...(namesZone ? { timeZoneName: "short" } : {}),
    timeZone,
  });
}

function changesClocks(buckets: readonly Bucket[], timeZone: string): boolean {
  const offsets = buckets.map(({ from }) => offsetAt(Date.parse(from), timeZone));
  return new Set(offsets).size > 1;
}

function spansYears(buckets: readonly Bucket[], timeZone: string): boolean {
  const [first, last] = [buckets[0], buckets.at(-1)].map((bucket) =>
    bucket === undefined ? 0 : yearAt(Date.parse(bucket.from), timeZone),
  );
  return first !== last;
}

function yearAt(ms: number, timeZone: string): number {
  return new Date(ms + offsetAt(ms, timeZone)).getUTCFullYear();
}

function isStartOfDay(at: Date, timeZone: string): boolean {
  const wall = new Date(at.getTime() + offsetAt(at.getTime(), timeZone));
  // A time zone of half hours has no bucket that starts at midnight; its first one of the day stands for it.
  return wall.getUTCHours() === 0;
}
