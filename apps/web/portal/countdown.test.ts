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

test.each([
  [600, "10:00"],
  [61, "1:01"],
  [30, "0:30"],
  [0, "0:00"],
])("%i seconds are shown as %s", (seconds, text) => expect(clockText(seconds)).toBe(text));
