import { expect, test } from "bun:test";
import { hourMs } from "../dates/lengths.ts";
import { nextAttemptAtMs } from "./retry.ts";

test.each([
  ["the first failure waits seconds", { writtenAtMs: 0, attempts: 1, isHopeless: false }, 0, 5_000],
  ["later ones wait longer", { writtenAtMs: 0, attempts: 4, isHopeless: false }, 1_000, 601_000],
  ["hours at the most", { writtenAtMs: 0, attempts: 30, isHopeless: false }, hourMs, 5 * hourMs],
  [
    "a day after it was written it is given up",
    { writtenAtMs: 0, attempts: 9, isHopeless: false },
    21 * hourMs,
    null,
  ],
  ["what will never be taken is not tried again", { writtenAtMs: 0, attempts: 1, isHopeless: true }, 0, null],
])("%s", (_name, letter, nowMs, next) => {
  expect(nextAttemptAtMs(letter, nowMs)).toBe(next);
});

test("from the first failure to the last try, every pause is at least as long as the one before", () => {
  let nowMs = 0;
  let pauseMs = 0;
  for (let attempts = 1; ; attempts++) {
    const next = nextAttemptAtMs({ writtenAtMs: 0, attempts, isHopeless: false }, nowMs);
    if (next === null) break;
    expect(next - nowMs).toBeGreaterThanOrEqual(pauseMs);
    pauseMs = next - nowMs;
    nowMs = next;
  }
  expect(nowMs).toBeGreaterThan(16 * hourMs);
});
