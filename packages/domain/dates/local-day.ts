import { lastMomentAt, offsetAt } from "./time-zone.ts";

/** A day without a time, such as 2027-11-20. */
const dayShape = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** Whether the text is a day that exists: 30 February does not. */
export function isDay(text: string): boolean {
  return dayShape.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
}

/** The last millisecond of a day in a time zone. For a day that the zone skipped, the last one before it. */
export function endOfDay(day: string, timeZone: string): number {
  return lastMomentAt(Date.parse(`${day}T23:59:59.999Z`), timeZone);
}

export function startOfDay(day: string, timeZone: string): number {
  return lastMomentAt(Date.parse(`${day}T00:00:00Z`) - 1, timeZone) + 1;
}

/** The local time in a time zone, without naming the zone: 2027-11-20T23:59:59.999. */
export function localTime(atMs: number, timeZone: string): string {
  return new Date(atMs + offsetAt(atMs, timeZone)).toISOString().slice(0, -1);
}
