import { expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { quotaDay, secondsUntilReset } from "./day.ts";

test.each<[time: string, seconds: number]>([
  ["2030-06-15T00:00:00.000Z", 86_400],
  ["2030-06-15T00:00:00.001Z", 86_400],
  ["2030-06-15T00:00:01.000Z", 86_399],
  ["2030-06-15T12:00:00.000Z", 43_200],
  ["2030-06-15T23:59:58.001Z", 2],
  ["2030-06-15T23:59:59.000Z", 1],
  ["2030-06-15T23:59:59.999Z", 1],
  ["2032-02-28T23:59:00.000Z", 60],
  ["2030-12-31T23:00:00.000Z", 3_600],
])("seconds until the counter starts again at %s: %p", (time, seconds) =>
  expect(secondsUntilReset(Date.parse(time))).toBe(seconds),
);

const moment = fc.integer({ min: 0, max: Date.UTC(2200, 0) });

test("is always a whole number from 1 to 86,400", () =>
  forAll(100, [moment], (nowMs) => {
    const seconds = secondsUntilReset(nowMs);
    expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400).toBe(true);
  }));

test("after that many seconds a new day has begun, and one second earlier it has not", () =>
  forAll(100, [moment], (nowMs) => {
    const seconds = secondsUntilReset(nowMs);
    expect(quotaDay(nowMs + seconds * 1_000)).toBe(quotaDay(nowMs) + 1);
    expect(quotaDay(nowMs + (seconds - 1) * 1_000)).toBe(quotaDay(nowMs));
  }));

test("the day changes at midnight UTC", () => {
  const midnight = Date.UTC(2030, 5, 16);
  expect(quotaDay(midnight) - quotaDay(midnight - 1)).toBe(1);
  expect(quotaDay(midnight + 86_399_999)).toBe(quotaDay(midnight));
});
