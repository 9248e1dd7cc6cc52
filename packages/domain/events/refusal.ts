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
  return Math.floor(nowMs / 3_600_000);
}
