import { expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { quotaDay, secondsUntilReset } from "./day.ts";

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
