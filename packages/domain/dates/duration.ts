import { dayMs } from "./lengths.ts";
import { lastMomentAt, offsetAt } from "./time-zone.ts";

/** A calendar duration: one year from 20 November is 20 November. */
export interface CalendarDuration {
  readonly months: number;
  readonly days: number;
}

const shape = /^P(?=\d)(?:(\d{1,3})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?$/;

/**
 * Parses P1Y, P6M, P2W, P10D or a combination (ISO 8601); null for anything else, for zero, and for more than a
 * century.
 */
export function parseDuration(text: string): CalendarDuration | null {
  const match = shape.exec(text);
  if (match === null) return null;
  const [years = 0, months = 0, weeks = 0, days = 0] = match.slice(1).map((digits) => Number(digits ?? 0));
  const duration = { months: years * 12 + months, days: weeks * 7 + days };
  const length = nominalMs(duration);
  return length >= dayMs && length <= 36_525 * dayMs ? duration : null;
}

/** A day that a shorter month lacks becomes its last day: a month after 31 January is 28 or 29 February. */
export function addDuration(atMs: number, { months, days }: CalendarDuration, timeZone: string): number {
  const wall = new Date(atMs + offsetAt(atMs, timeZone));
  const day = wall.getUTCDate();
  wall.setUTCDate(1);
  wall.setUTCMonth(wall.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + 1, 0)).getUTCDate();
  wall.setUTCDate(Math.min(day, lastDay) + days);
  return lastMomentAt(wall.getTime(), timeZone);
}

/** Its length if no start date is known: a year has 365 days, a month 30. */
export function nominalMs({ months, days }: CalendarDuration): number {
  return (Math.floor(months / 12) * 365 + (months % 12) * 30 + days) * dayMs;
}
