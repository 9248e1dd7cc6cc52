import { hourMs } from "../dates/lengths.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** How long to wait after each failure; the last holds for all that follow. */
const pausesMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
];

/** A letter that could not be delivered for a day says little that is still true. */
export const triedForMs = 24 * hourMs;

export interface FailedLetter {
  readonly writtenAtMs: number;
  /** How often it was tried, this time included. */
  readonly attempts: number;
  /** The mail server will never take it. */
  readonly isHopeless: boolean;
}

/** When to try a letter again; null to give it up. */
export function nextAttemptAtMs(letter: FailedLetter, nowMs: number): number | null {
  if (letter.isHopeless) return null;
  const next = nowMs + (pausesMs[letter.attempts - 1] ?? 4 * hourMs);
  return next > letter.writtenAtMs + triedForMs ? null : next;
}
