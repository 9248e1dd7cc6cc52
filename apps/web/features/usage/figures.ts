import type { Item } from "../../api/client.ts";
import { browserTimeZone } from "../../i18n/shown-time-zone.ts";

type Usage = Pick<Item<"listProductUsage">, "used_today" | "daily_limit" | "runs_out_at">;

/** Whether today's limit has been reached, or will be at today's pace. Null if not, or if it is too early to tell. */
export function forecastOf(usage: Usage): "reached" | "soon" | null {
  const { used_today: used, daily_limit: limit, runs_out_at: runsOutAt } = usage;
  if (limit === null) return null;
  if (used >= limit) return "reached";
  return runsOutAt === null ? null : "soon";
}

const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** A number of bytes in the unit that keeps it short: 1234567 is 1.2 MB. */
export function storageText(bytes: number, language: string): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** power;
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: units[power] ?? "byte",
    maximumFractionDigits: power === 0 || value >= 100 ? 0 : 1,
  }).format(value);
}

/** Today's time on the reader's clock: limits end at midnight UTC, not with a day of the organization. */
export function clockTime(at: string, language: string, timeZone = browserTimeZone()): string {
  return new Intl.DateTimeFormat(language, { timeStyle: "short", timeZone }).format(new Date(at));
}

/** The same with the name of the time zone. */
export function resetTime(at: string, language: string, timeZone = browserTimeZone()): string {
  return new Intl.DateTimeFormat(language, {
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
    timeZone,
  }).format(new Date(at));
}

/** A UTC day, as requests are counted. */
export function utcDay(ms: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(ms);
}
