const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delay before each attempt: ten attempts in about three days. */
export const attemptDelaysMs: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** The maximum random delay, so that what failed together is not retried together. */
const jitter = 0.2;

/** When to retry after `attempts` failures; null if that was the last. `random` is from 0 to 1. */
export function nextAttemptAtMs(attempts: number, nowMs: number, random: number): number | null {
  const delayMs = attemptDelaysMs[attempts];
  return delayMs === undefined ? null : Math.round(nowMs + delayMs * (1 + jitter * random));
}

/** An endpoint disabled for failing is retried automatically for this long. */
export const probedForMs = 30 * 24 * hour;
const hourlyProbes = 24;

/** When to retry a disabled endpoint after `probes` failures; null if that was the last. */
export function nextProbeAtMs(
  { probes, disabledAtMs }: { readonly probes: number; readonly disabledAtMs: number },
  nowMs: number,
  random: number,
): number | null {
  const delayMs = probes < hourlyProbes ? hour : 6 * hour;
  const atMs = Math.round(nowMs + delayMs * (1 + jitter * random));
  return atMs - disabledAtMs > probedForMs ? null : atMs;
}

/** An endpoint with nothing but failures for this long is disabled. */
export const failingForMs = 5 * 24 * hour;
