import { dayMs } from "../dates/lengths.ts";

/** How many days requests are kept in the log if nobody decided. */
export const defaultLogDays = 30;

/** How much disk space the log can take if nobody decided. */
export const defaultLogMegabytes = 20_480;

/** What decides on it, each null if not set: for one organization, for its plan, and for the server. */
interface LogDays {
  readonly ofOrganization: number | null;
  readonly ofPlan: number | null;
  readonly ofServer: number;
}

export function logDays({ ofOrganization, ofPlan, ofServer }: LogDays): number {
  return ofOrganization ?? ofPlan ?? ofServer;
}

/** Requests before this time are no longer kept. */
export function keptSince(days: number, nowMs: number): number {
  return Math.max(0, nowMs - days * dayMs);
}

/** The longest duration to search for. No request takes that long: its body times out long before. */
export const maxDurationMs = 3_600_000;
