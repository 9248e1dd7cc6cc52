import { dayMs } from "../dates/lengths.ts";

/** How many days of usage are kept, including today: 13 months. */
export const usageDays = 396;

/** The UTC day as a number of days since 1970, which is the counter's key. */
export function quotaDay(nowMs: number): number {
  return Math.floor(nowMs / dayMs);
}

/** Whole seconds until the counter resets, 1 to 86,400. */
export function secondsUntilReset(nowMs: number): number {
  const leftMs = (quotaDay(nowMs) + 1) * dayMs - nowMs;
  return Math.min(86_400, Math.max(1, Math.ceil(leftMs / 1000)));
}
