import { lastMomentAt } from "@countersign/domain/dates/time-zone";

/** The time that a field without a zone means on the clocks of a time zone, as ISO 8601; null while it is no time. */
export function instantOf(local: string, timeZone: string): string | null {
  const ms = Date.parse(`${local}Z`);
  if (local === "" || Number.isNaN(ms)) return null;
  // Of a skipped hour, the time at which clocks go forward.
  return new Date(lastMomentAt(ms - 1, timeZone) + 1).toISOString();
}
