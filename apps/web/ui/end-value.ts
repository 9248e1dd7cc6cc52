import { endOfDay, isDay, localTime } from "@countersign/domain/dates/local-day";
import { lastMomentAt } from "@countersign/domain/dates/time-zone";
import { shownTimeZone } from "./shown-time-zone.ts";

/** From the wire's time to what the field holds: without a time where it is the end of a day. */
export function toEnd(at: string | null, timeZone: string = shownTimeZone()): string {
  if (at === null) return "";
  const local = localTime(new Date(at).getTime(), timeZone);
  return local.endsWith("T23:59:59.999") ? local.slice(0, 10) : local.slice(0, 16);
}

/** What the wire takes: a day as it is, a time as a moment; null while the field holds neither. */
export function fromEnd(value: string, timeZone: string = shownTimeZone()): string | null {
  if (isDay(value)) return value;
  const ms = endMs(value, timeZone);
  return ms === null ? null : new Date(ms).toISOString();
}

/** The moment that is meant; null while the field holds none. */
export function endMs(value: string, timeZone: string = shownTimeZone()): number | null {
  if (!isDay(value.slice(0, 10))) return null;
  if (value.length === 10) return endOfDay(value, timeZone);
  const wallMs = Date.parse(`${value}Z`);
  return Number.isNaN(wallMs) ? null : lastMomentAt(wallMs, timeZone);
}
