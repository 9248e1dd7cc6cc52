import { dayMs, hourMs } from "../dates/lengths.ts";

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

/** Earlier in the day, a few requests would decide: it takes a part of the limit, and not just a handful. */
const enoughAfterMs = hourMs;
const enoughOfLimit = 0.1;
const enoughRequests = 20;

/**
 * When today's requests reach the limit if they keep coming at the average pace since midnight UTC. The time at which
 * it was reached is not stored: then this is now. Null if the limit will not be reached before the count resets, or if
 * it is too early in the day to tell.
 */
export function runsOutAt(limit: number | null, used: number, nowMs: number): number | null {
  if (limit === null) return null;
  if (used >= limit) return nowMs;
  const midnightMs = quotaDay(nowMs) * dayMs;
  const elapsedMs = nowMs - midnightMs;
  const isEnough = elapsedMs >= enoughAfterMs || (used >= enoughRequests && used >= limit * enoughOfLimit);
  if (!isEnough || used === 0) return null;
  const reachedMs = Math.ceil(midnightMs + (elapsedMs * limit) / used);
  return reachedMs < midnightMs + dayMs ? Math.max(reachedMs, nowMs) : null;
}
