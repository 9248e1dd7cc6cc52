import { dayMs } from "../dates/lengths.ts";

/**
 * A license expires within some days if it is active, so neither revoked nor expired, and its expiry is at this time at
 * the latest. Lists, counts, changes in bulk, figures and reminders all mean this.
 */
export function expiringUntilMs(nowMs: number, days: number): number {
  return nowMs + days * dayMs;
}

/** The period of figures and views that name no other. */
export const expiringDays = 30;
