import { dayMs } from "../dates/lengths.ts";

/** Enough for every environment and a rotation of each; few enough to look through. */
export const mostLiveApiKeys = 20;

export const unusedAfterMs = 30 * dayMs;

/** Whether an active key has not been used for 30 days, so that its owner may want to end it. */
export function isUnused(
  key: { readonly createdAtMs: number; readonly lastUsedAtMs: number | null },
  nowMs: number,
): boolean {
  return nowMs - (key.lastUsedAtMs ?? key.createdAtMs) >= unusedAfterMs;
}
