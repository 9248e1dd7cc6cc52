import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { dayMs } from "../dates/lengths.ts";
import { quotaDay, runsOutAt, secondsUntilReset } from "./day.ts";

test.each<[time: string, seconds: number]>([
  ["2030-06-15T00:00:00.000Z", 86_400],
  ["2030-06-15T00:00:00.001Z", 86_400],
  ["2030-06-15T00:00:01.000Z", 86_399],
  ["2030-06-15T23:59:58.001Z", 2],
  ["2030-06-15T23:59:59.000Z", 1],
  ["2032-02-28T23:59:00.000Z", 60],
])("at %s, the counter starts again in %p seconds", (time, seconds) =>
  expect(secondsUntilReset(Date.parse(time))).toBe(seconds),
);

test("after the seconds until the reset a new day has begun, and one second earlier it has not", () =>
  forAll(100, [fc.integer({ min: 0, max: Date.UTC(2200, 0) })], (nowMs) => {
    const seconds = secondsUntilReset(nowMs);
    expect(seconds).toBeInteger();
    expect(quotaDay(nowMs + seconds * 1_000)).toBe(quotaDay(nowMs) + 1);
    expect(quotaDay(nowMs + (seconds - 1) * 1_000)).toBe(quotaDay(nowMs));
  }));

test("the day changes at midnight UTC", () =>
  expect(quotaDay(Date.UTC(2030, 5, 16)) - quotaDay(Date.UTC(2030, 5, 16) - 1)).toBe(1));

describe("forecasts", () => {
  test.each<[why: string, limit: number | null, used: number, time: string, reached: string | null]>([
    ["never, without a limit", null, 1_000_000, "12:00:00.000", null],
    ["made at the pace since midnight", 1_000, 600, "12:00:00.000", "20:00:00.000"],
    ["soon, if little is left", 1_000, 999, "12:00:00.000", "12:00:43.244"],
    ["not today at a slower pace", 1_000, 499, "12:00:00.000", null],
    ["not today if it were at midnight", 1_000, 500, "12:00:00.000", null],
    ["now if it is reached", 1_000, 1_000, "12:00:00.000", "12:00:00.000"],
    ["now if it was lowered below what was used", 1_000, 5_000, "12:00:00.000", "12:00:00.000"],
    ["now, even at midnight", 10, 10, "00:00:00.000", "00:00:00.000"],
    ["unknown early in the day after a few requests", 10_000, 19, "00:00:10.000", null],
    ["unknown early in the day with a small part of the limit", 10_000, 999, "00:30:00.000", null],
    ["made early in the day if much is used already", 10_000, 1_000, "00:06:00.000", "01:00:00.000"],
    ["made early in the day at a small limit", 40, 20, "00:30:00.000", "01:00:00.000"],
    ["made from the second hour on with a few requests", 10, 1, "01:00:00.000", "10:00:00.000"],
    ["at once for a burst at midnight", 10_000, 5_000, "00:00:00.000", "00:00:00.000"],
  ])("the forecast of when the limit is reached is %s", (_why, limit, used, time, reached) => {
    const at = (text: string) => Date.parse(`2030-06-15T${text}Z`);
    expect(runsOutAt(limit, used, at(time))).toBe(reached === null ? null : at(reached));
  });

  test("a forecast is never in the past and never after the count resets", () => {
    const moment = fc.integer({ min: 0, max: Date.UTC(2200, 0) });
    const number = fc.nat({ max: 1_000_000_000_000 });
    forAll(100, [number, number, moment], (limit, used, nowMs) => {
      const reached = runsOutAt(limit, used, nowMs);
      if (reached === null) return;
      expect(Number.isInteger(reached)).toBe(true);
      expect(reached >= nowMs && reached < (quotaDay(nowMs) + 1) * dayMs).toBe(true);
    });
  });
});
