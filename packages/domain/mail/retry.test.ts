import { expect, test } from "bun:test";
import { hourMs } from "../dates/lengths.ts";
import { nextAttemptAtMs } from "./retry.ts";

test.each([
  ["the first failure waits seconds", { writtenAtMs: 0, attempts: 1, isPermanentFailure: false }, 0, 5_000],
  ["later ones wait longer", { writtenAtMs: 0, attempts: 4, isPermanentFailure: false }, 1_000, 601_000],
  ["hours at the most", { writtenAtMs: 0, attempts: 30, isPermanentFailure: false }, hourMs, 5 * hourMs],
  [
    "a day after it was written it is given up",
    { writtenAtMs: 0, attempts: 9, isPermanentFailure: false },
    21 * hourMs,
    null,
  ],
  [
    "what will never be taken is not tried again",
    { writtenAtMs: 0, attempts: 1, isPermanentFailure: true },
    0,
    null,
  ],
])("%s", (_name, message, nowMs, next) => {
  expect(nextAttemptAtMs(message, nowMs)).toBe(next);
});

test("from the first failure to the last try, every pause is at least as long as the one before", () => {
  let nowMs = 0;
  let pauseMs = 0;
  for (let attempts = 1; ; attempts++) {
    const next = nextAttemptAtMs({ writtenAtMs: 0, attempts, isPermanentFailure: false }, nowMs);
    if (next === null) break;
    expect(next - nowMs).toBeGreaterThanOrEqual(pauseMs);
    pauseMs = next - nowMs;
    nowMs = next;
  }
  expect(nowMs).toBeGreaterThan(16 * hourMs);
});
