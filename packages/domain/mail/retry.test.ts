import { expect, test } from "bun:test";
import { hourMs } from "../dates/lengths.ts";
import { nextAttemptAtMs } from "./retry.ts";

test.each([
  ["the pause after the first failure is 5 seconds", { attempts: 1 }, 0, 5_000],
  ["the pause after the fourth failure is 10 minutes", { attempts: 4 }, 1_000, 601_000],
  ["a pause is at most 4 hours", { attempts: 30 }, hourMs, 5 * hourMs],
  ["an email is given up a day after it was written", { attempts: 9 }, 21 * hourMs, null],
  ["an email that failed permanently is not sent again", { attempts: 1, isPermanentFailure: true }, 0, null],
])("%s", (_name, message, nowMs, next) => {
  expect(nextAttemptAtMs({ writtenAtMs: 0, isPermanentFailure: false, ...message }, nowMs)).toBe(next);
});

test("until the last attempt, every pause is at least as long as the one before", () => {
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
