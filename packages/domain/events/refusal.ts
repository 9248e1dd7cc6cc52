import { hourMs } from "../dates/lengths.ts";
import type { Outcome } from "../validate/status.ts";
import type { EventType } from "./types.ts";

export type RefusalEvent = Extract<EventType, "license.ip_blocked" | "license.ip_limit_reached">;

/** Which event tells of an answer; null for those that none does. */
export function refusalEvent(status: Outcome): RefusalEvent | null {
  if (status === "ip_blocked") return "license.ip_blocked";
  return status === "ip_limit_reached" ? "license.ip_limit_reached" : null;
}

/** A refusal is told once for a license, an address and an hour since 1970. */
export function refusalHour(nowMs: number): number {
  return Math.floor(nowMs / hourMs);
}

/**
 * A caller can come from a new address with every request. So many addresses of a license are told of one by one in an
 * hour and for a kind of refusal; those after them are counted, and told of together when the hour is over.
 */
export const mostToldSingly = 10;

/** So many addresses of a license are told apart in an hour; of those after them it is only known that there are more. */
export const mostToldApart = 100;

/** A license that holds so many addresses has those that come after them told of together too. */
export const mostRegistrationsToldSingly = 1_000;

/** After an hour is over, what was judged in it may still be on its way to the database. */
export const summaryDelayMs = 60_000;

export type Telling = "singly" | "counted" | "counted, not told apart";

/** How an address is told of that a license has not refused before in this hour, after so many others. */
export function tellingAfter(others: number): Telling {
  if (others < mostToldSingly) return "singly";
  return others < mostToldApart ? "counted" : "counted, not told apart";
}
