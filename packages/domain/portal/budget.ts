import { dayMs } from "../dates/lengths.ts";

/** What customers can do a number of times within a time span, counted per license. */
interface Allowance {
  readonly limit: number;
  readonly windowMs: number;
}

/** Something that a customer did, and how much of the allowance it took. */
export interface Spending {
  readonly atMs: number;
  readonly count: number;
}

export interface Budget {
  readonly limit: number;
  /** At most the limit, also if the seller has lowered it since. */
  readonly used: number;
  readonly left: number;
  /** When more is left than now; null if nothing of it is used. */
  readonly nextAtMs: number | null;
}

export const ipRemovalWindowMs = 30 * dayMs;

/** Enough for someone who tries it out; a key that is replaced more often than this is a mistake or an attack. */
export const keyRotations: Allowance = { limit: 5, windowMs: dayMs };

/** What is left now. Each spending counts for exactly as long as the window, no matter who owned the license then. */
export function budgetOf(allowance: Allowance, spendings: readonly Spending[], nowMs: number): Budget {
  const { limit } = allowance;
  const used = Math.min(limit, usedAt(allowance, spendings, nowMs));
  const left = limit - used;
  const nextAtMs = used === 0 ? null : affordableAt(allowance, spendings, left + 1, nowMs);
  return { limit, used, left, nextAtMs };
}

/** When this much is left, if nothing else is spent until then; null if it is more than the whole allowance. */
export function affordableAt(
  allowance: Allowance,
  spendings: readonly Spending[],
  cost: number,
  nowMs: number,
): number | null {
  const { limit, windowMs } = allowance;
  if (cost > limit) return null;
  if (usedAt(allowance, spendings, nowMs) + cost <= limit) return nowMs;
  const ends = spendings
    .map(({ atMs }) => atMs + windowMs)
    .filter((endMs) => endMs > nowMs)
    .sort((a, b) => a - b);
  return ends.find((endMs) => usedAt(allowance, spendings, endMs) + cost <= limit) ?? null;
}

function usedAt({ windowMs }: Allowance, spendings: readonly Spending[], nowMs: number): number {
  return spendings.reduce((sum, { atMs, count }) => (atMs + windowMs > nowMs ? sum + count : sum), 0);
}
