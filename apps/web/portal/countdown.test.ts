import { expect, test } from "bun:test";
import { clockText, secondsUntil } from "./countdown.ts";

test.each([
  [10_000, 0, 10],
  [10_000, 9_001, 1],
  [10_000, 9_999, 1],
  [10_000, 10_000, 0],
  [10_000, 99_000, 0],
])("until %i at %i, %i seconds are left, never fewer than none", (until, now, left) => {
  expect(secondsUntil(until, now)).toBe(left);
});

test("seconds are shown as a clock shows them", () => {
  expect([600, 61, 30, 0].map(clockText)).toEqual(["10:00", "1:01", "0:30", "0:00"]);
});
