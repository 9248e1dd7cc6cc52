import type { EventType } from "./types.ts";

type QuotaEvent = Extract<EventType, `quota.${string}`>;

/** The count from which a product is close to its limit: 80 % of it, rounded up. */
export function warningAt(limit: number | null): number {
  return limit === null ? Number.POSITIVE_INFINITY : Math.ceil((limit * 4) / 5);
}

/** The counts at which an event is recorded; infinite without a limit. */
export function quotaMarks(limit: number | null): Readonly<Record<QuotaEvent, number>> {
  return { "quota.warning": warningAt(limit), "quota.exhausted": limit ?? Number.POSITIVE_INFINITY };
}

/**
 * The events to record when the counter goes from one number to the next. Exactly one batch a day crosses each
 * threshold.
 */
export function crossedMarks(limit: number, usedBefore: number, usedAfter: number): QuotaEvent[] {
  const crosses = (mark: number) => usedBefore < mark && usedAfter >= mark;
  const crossed: QuotaEvent[] = [];
  if (crosses(warningAt(limit))) crossed.push("quota.warning");
  if (crosses(limit)) crossed.push("quota.exhausted");
  return crossed;
}
