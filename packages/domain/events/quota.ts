import type { EventType } from "./types.ts";

type QuotaEvent = Extract<EventType, `quota.${string}`>;

/** From this count on, a product is near its limit: four fifths of it, never less. */
export function warningAt(limit: number | null): number {
  return limit === null ? Number.POSITIVE_INFINITY : Math.ceil((limit * 4) / 5);
}

/** The counts at which something is told; infinite without a limit. */
export function quotaMarks(limit: number | null): Readonly<Record<QuotaEvent, number>> {
  return { "quota.warning": warningAt(limit), "quota.exhausted": limit ?? Number.POSITIVE_INFINITY };
}

/** What is to be told when the counter goes from one number to the next. Of all batches of a day, one crosses a mark. */
export function crossedMarks(limit: number, usedBefore: number, usedAfter: number): QuotaEvent[] {
  const crosses = (mark: number) => usedBefore < mark && usedAfter >= mark;
  const crossed: QuotaEvent[] = [];
  if (crosses(warningAt(limit))) crossed.push("quota.warning");
  if (crosses(limit)) crossed.push("quota.exhausted");
  return crossed;
}
