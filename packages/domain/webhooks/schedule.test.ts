import { expect, test } from "bun:test";
import { attemptDelaysMs, nextAttemptAtMs } from "./schedule.ts";

const s = 1_000;
const h = 3_600 * s;
const nowMs = 1_900_000_000_000;

test.each([
  [0, 0],
  [1, 5 * s],
  [2, 300 * s],
  [3, 1_800 * s],
  [4, 2 * h],
  [5, 5 * h],
  [6, 10 * h],
  [7, 14 * h],
  [8, 20 * h],
  [9, 24 * h],
])("after %d attempts the next comes %d ms later, or up to a fifth more", (attempts, delayMs) => {
  expect(nextAttemptAtMs(attempts, nowMs, 0)).toBe(nowMs + delayMs);
  expect(nextAttemptAtMs(attempts, nowMs, 0.5)).toBe(nowMs + delayMs * 1.1);
  expect(nextAttemptAtMs(attempts, nowMs, 1)).toBe(nowMs + delayMs * 1.2);
});

test("after ten attempts nothing more is tried", () => {
  expect(attemptDelaysMs).toHaveLength(10);
  expect(nextAttemptAtMs(10, nowMs, 0)).toBeNull();
});
