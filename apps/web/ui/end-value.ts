import { endOfDay, isDay, lastMomentAt, localTime } from "@countersign/domain/dates/time-zone";
import { shownTimeZone } from "../i18n/shown-time-zone.ts";

/** From an API time to the field's value: without a time if it is the end of a day. */
export function toEnd(at: string | null, timeZone: string = shownTimeZone()): string {
  if (at === null) return "";
  const local = localTime(new Date(at).getTime(), timeZone);
  return local.endsWith("T23:59:59.999") ? local.slice(0, 10) : local.slice(0, 16);
}

/** The value for the API: a date as it is, or an exact time; null while the field is empty or invalid. */
export function fromEnd(value: string, timeZone: string = shownTimeZone()): string | null {
  if (isDay(value)) return value;
  const ms = endMs(value, timeZone);
  return ms === null ? null : new Date(ms).toISOString();
}

/** The exact time; null while the field is empty or invalid. */
export function endMs(value: string, timeZone: string = shownTimeZone()): number | null {
  if (!isDay(value.slice(0, 10))) return null;
  if (value.length === 10) return endOfDay(value, timeZone);
  const wallMs = Date.parse(`${value}Z`);
  return Number.isNaN(wallMs) ? null : lastMomentAt(wallMs, timeZone);
}
