import { browserTimeZone } from "../../i18n/shown-time-zone.ts";

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
