import { hourMs } from "../dates/lengths.ts";
import type { Outcome } from "../validate/status.ts";
import type { EventType } from "./types.ts";

export type RefusalEvent = Extract<EventType, "license.ip_blocked" | "license.ip_limit_reached">;

/** The event for a status; null if there is none. */
export function refusalEvent(status: Outcome): RefusalEvent | null {
  if (status === "ip_blocked") return "license.ip_blocked";
  return status === "ip_limit_reached" ? "license.ip_limit_reached" : null;
}

/** A rejection is recorded once per license, IP address and hour since 1970. */
export function refusalHour(nowMs: number): number {
  return Math.floor(nowMs / hourMs);
}

/**
 * A caller can use a new IP address for every request. This many IP addresses per license, hour and kind of rejection
 * get their own event; further ones are counted and summarized when the hour ends.
 */
export const maxSingleEvents = 10;

/** This many IP addresses per license and hour are distinguished; beyond that, it is only known that there are more. */
export const maxDistinctIps = 100;

/** From this many registered IP addresses on, a license's further registrations are summarized too. */
export const maxSingleRegistrations = 1_000;

/** After an hour ends, results from that hour may still be on their way to the database. */
export const summaryDelayMs = 60_000;

type Recording = "singly" | "counted" | "counted, not distinguished";

/** How to report an IP address that this license has not rejected before in this hour, after so many others. */
export function recordingAfter(others: number): Recording {
  if (others < maxSingleEvents) return "singly";
  return others < maxDistinctIps ? "counted" : "counted, not distinguished";
}

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
