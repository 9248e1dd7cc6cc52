import { dayMs, hourMs, minuteMs } from "../dates/lengths.ts";

/** `pending` is sent when it is due. `held` waits for its endpoint to be enabled. The others are final. */
export const deliveryStates = ["pending", "delivered", "failed", "held"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** States after which nothing more is sent, unless it is replayed. */
export const finalStates = ["failed", "delivered"] as const;
type FinalState = (typeof finalStates)[number];

/** Those before a final one. */
export const openStates = ["pending", "held"] as const;

export function isFinal(state: DeliveryState): state is FinalState {
  return state === "failed" || state === "delivered";
}

const secondMs = 1_000;

/** The delay before each attempt: ten attempts in about three days. */
export const attemptDelaysMs: readonly number[] = [
  0,
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

/** The maximum random delay, so that what failed together is not retried together. */
const jitter = 0.2;

/** When to retry after `attempts` failures; null if that was the last. `random` is from 0 to 1. */
export function nextAttemptAtMs(attempts: number, nowMs: number, random: number): number | null {
  const delayMs = attemptDelaysMs[attempts];
  return delayMs === undefined ? null : Math.round(nowMs + delayMs * (1 + jitter * random));
}

/** An endpoint disabled for failing is retried automatically for this long. */
export const probedForMs = 30 * dayMs;
const hourlyProbes = 24;

/** When to retry a disabled endpoint after `probes` failures; null if that was the last. */
export function nextProbeAtMs(
  { probes, disabledAtMs }: { readonly probes: number; readonly disabledAtMs: number },
  nowMs: number,
  random: number,
): number | null {
  const delayMs = probes < hourlyProbes ? hourMs : 6 * hourMs;
  const atMs = Math.round(nowMs + delayMs * (1 + jitter * random));
  return atMs - disabledAtMs > probedForMs ? null : atMs;
}

/** An endpoint with nothing but failures for this long is disabled. */
export const failingForMs = 5 * dayMs;
