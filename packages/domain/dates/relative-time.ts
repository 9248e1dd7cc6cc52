import { dayMs } from "./lengths.ts";
import { offsetAt } from "./time-zone.ts";

/** So far away, days are still counted: 45 days are more exact than a month, and a term of two weeks has 14 days. */
const maxDays = 60;

/**
 * How long ago or how soon, by the calendar of a time zone: two dates that differ by one are a day apart, however many
 * hours lie between. Within a day, hours and minutes count; so do minutes over midnight.
 */
export function relativeTime(atMs: number, nowMs: number, language: string, timeZone: string): string {
  const days = calendarDays(atMs, nowMs, timeZone);
  const minutes = whole((atMs - nowMs) / 60_000);
  const { named, counted } = formatsOf(language);
  if (minutes === 0) return named.format(0, "second");
  if (Math.abs(minutes) < 60) return named.format(minutes, "minute");
  if (days === 0) return named.format(whole(minutes / 60), "hour");
  if (Math.abs(days) <= maxDays) return named.format(days, "day");
  const months = calendarMonths(atMs, nowMs, timeZone);
  return Math.abs(months) < 24 && Math.abs(months) !== 12
    ? counted.format(months, "month")
    : counted.format(Math.round(months / 12), "year");
}

/** By how many days the dates of two times differ: 1 for tomorrow, -1 for yesterday. */
export function calendarDays(atMs: number, nowMs: number, timeZone: string): number {
  const dayOf = (ms: number) => Math.floor((ms + offsetAt(ms, timeZone)) / dayMs);
  return dayOf(atMs) - dayOf(nowMs);
}

/** Rounded to the nearest month. */
function calendarMonths(atMs: number, nowMs: number, timeZone: string): number {
  const [at, now] = [atMs, nowMs].map((ms) => new Date(ms + offsetAt(ms, timeZone))) as [Date, Date];
  const years = at.getUTCFullYear() - now.getUTCFullYear();
  const months = years * 12 + at.getUTCMonth() - now.getUTCMonth();
  return Math.round(months + (at.getUTCDate() - now.getUTCDate()) / 30.5);
}

/** Past ones count when complete. Future ones are rounded, so that "in 2 hours" does not change after a second. */
function whole(count: number): number {
  return count < 0 ? Math.trunc(count) : Math.round(count);
}

interface Formats {
  /** With words such as "yesterday" and "now". */
  readonly named: Intl.RelativeTimeFormat;
  /** "1 month ago", because "last month" can be two days ago. */
  readonly counted: Intl.RelativeTimeFormat;
}

/** Kept: creating one is far slower than using it, and a list uses hundreds. There are as many as languages. */
const formats = new Map<string, Formats>();

function formatsOf(language: string): Formats {
  const known = formats.get(language) ?? {
    named: new Intl.RelativeTimeFormat(language, { numeric: "auto" }),
    counted: new Intl.RelativeTimeFormat(language, { numeric: "always" }),
  };
  formats.set(language, known);
  return known;
}
