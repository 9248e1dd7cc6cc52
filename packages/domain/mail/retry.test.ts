import { expect, test } from "bun:test";
import { hourMs } from "../dates/lengths.ts";
import { nextAttemptAtMs } from "./retry.ts";

test.each([
  ["the first failure waits seconds", { attempts: 1 }, 0, 5_000],
  ["later ones wait longer", { attempts: 4 }, 1_000, 601_000],
  ["a pause is hours at the most", { attempts: 30 }, hourMs, 5 * hourMs],
  ["a day after it was written it is given up", { attempts: 9 }, 21 * hourMs, null],
  ["what will never be taken is not tried again", { attempts: 1, isPermanentFailure: true }, 0, null],
])("%s", (_name, message, nowMs, next) => {
  expect(nextAttemptAtMs({ writtenAtMs: 0, isPermanentFailure: false, ...message }, nowMs)).toBe(next);
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
