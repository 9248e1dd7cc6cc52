import { useEffect, useState } from "react";

/** The seconds until a time, rounded up; never negative. */
export function secondsUntil(untilMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((untilMs - nowMs) / 1_000));
}

/** Such as "0:07". */
export function clockText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Counts down to a time, second by second. */
export function useCountdown(untilMs: number): number {
  const [nowMs, setNowMs] = useState(Date.now);
  const left = secondsUntil(untilMs, nowMs);
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setNowMs(Date.now()), 1_000);
    return () => clearTimeout(timer);
  });
  return left;
}
