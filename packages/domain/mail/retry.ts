import { hourMs, minuteMs } from "../dates/lengths.ts";

const secondMs = 1_000;

/** How long to wait after each failure; the last value applies to all further ones. */
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

/** An email that could not be delivered for a day is mostly out of date. */
export const triedForMs = 24 * hourMs;

interface FailedEmail {
  readonly writtenAtMs: number;
  /** The number of attempts, including this one. */
  readonly attempts: number;
  /** The mail server will never accept it. */
  readonly isPermanentFailure: boolean;
}

/** When to retry an email; null to give up. */
export function nextAttemptAtMs(message: FailedEmail, nowMs: number): number | null {
  if (message.isPermanentFailure) return null;
  const next = nowMs + (pausesMs[message.attempts - 1] ?? 4 * hourMs);
  return next > message.writtenAtMs + triedForMs ? null : next;
}
