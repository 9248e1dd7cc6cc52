import { describe, expect, test } from "bun:test";
import { hourMs } from "../dates/lengths.ts";
import { bucketOf, bucketStarts, hourRange, type Interval, previousRange, usualInterval } from "./range.ts";

const hour = (text: string) => Date.parse(text) / hourMs;
const written = (hours: readonly number[] | null) =>
  hours?.map((at) => new Date(at * hourMs).toISOString().slice(0, 16));
const nowMs = Date.parse("2026-11-17T10:20:00Z");

describe("a range", () => {
  test("is the last 30 days of the time zone by default, and ends with the current hour", () => {
    const usual = { fromMs: null, toMs: null };
    const to = hour("2026-11-17T11:00Z");
    expect(hourRange(usual, "UTC", nowMs)).toEqual({ from: hour("2026-10-19T00:00Z"), to });
    expect(hourRange(usual, "Europe/Berlin", nowMs)).toEqual({ from: hour("2026-10-18T22:00Z"), to });
    const future = { fromMs: nowMs - 90 * 60_000, toMs: nowMs + 10 * hourMs };
    expect(hourRange(future, "UTC", nowMs)).toEqual({ from: hour("2026-11-17T08:00Z"), to });
  });

  test("is none if it is empty or in the future", () => {
    expect(hourRange({ fromMs: nowMs, toMs: nowMs - 5 * hourMs }, "UTC", nowMs)).toBeNull();
    expect(hourRange({ fromMs: nowMs + 2 * hourMs, toMs: null }, "UTC", nowMs)).toBeNull();
    expect(hourRange({ fromMs: -hourMs, toMs: null }, "UTC", nowMs)).toBeNull();
  });

  test("is compared with as many hours before", () => {
    expect(previousRange({ from: 100, to: 124 })).toEqual({ from: 76, to: 100 });
  });
});

describe("buckets", () => {
  const rows: Record<string, [from: string, to: string, Interval, zone: string, starts: string]> = {
    "days over the end of summer time, one of 25 hours": [
      "2026-10-23T22:00",
      "2026-10-26T23:00",
      "day",
      "Europe/Berlin",
      "2026-10-23T22:00 2026-10-24T22:00 2026-10-25T23:00",
    ],
    "days over the start of summer time, one of 23 hours": [
      "2026-03-28T00:30",
      "2026-03-30T12:00",
      "day",
      "Europe/Berlin",
      "2026-03-28T00:00 2026-03-28T23:00 2026-03-29T22:00",
    ],
    "days of a half-hour zone start at the next full UTC hour": [
      "2026-11-15T00:00",
      "2026-11-17T00:00",
      "day",
      "Asia/Kolkata",
      "2026-11-15T00:00 2026-11-15T19:00 2026-11-16T19:00",
    ],
    "a day whose midnight is skipped": [
      "2018-11-03T12:00",
      "2018-11-05T12:00",
      "day",
      "America/Sao_Paulo",
      "2018-11-03T12:00 2018-11-04T03:00 2018-11-05T02:00",
    ],
    "weeks start on Monday": [
      "2026-11-04T00:00",
      "2026-11-17T00:00",
      "week",
      "UTC",
      "2026-11-04T00:00 2026-11-09T00:00 2026-11-16T00:00",
    ],
    months: [
      "2026-01-31T12:00",
      "2026-04-02T00:00",
      "month",
      "America/New_York",
      "2026-01-31T12:00 2026-02-01T05:00 2026-03-01T05:00 2026-04-01T04:00",
    ],
    hours: ["2026-11-04T00:00", "2026-11-04T02:00", "hour", "UTC", "2026-11-04T00:00 2026-11-04T01:00"],
  };
  test.each(Object.entries(rows))("%s", (_, [from, to, interval, zone, starts]) => {
    const range = { from: Math.floor(hour(`${from}Z`)), to: hour(`${to}Z`) };
    expect(written(bucketStarts(range, interval, zone, 800))).toEqual(starts.split(" "));
  });

  test("are none if there would be more than the maximum", () => {
    const month = { from: 0, to: 801 };
    expect(bucketStarts(month, "hour", "UTC", 800)).toBeNull();
    expect(bucketStarts({ from: 0, to: 800 }, "hour", "UTC", 800)).toHaveLength(800);
  });

  test("contain the hours from their start to that of the next", () => {
    const starts = [10, 34, 58];
    expect([10, 33, 34, 57, 58, 99].map((at) => bucketOf(starts, at))).toEqual([0, 0, 1, 1, 2, 2]);
  });

  test("have a length that suits the range", () => {
    const intervalOf = (to: number) => usualInterval({ from: 0, to });
    expect([24, 72].map(intervalOf)).toEqual(["hour", "hour"]);
    expect([73, 24 * 93, 24 * 94, 24 * 367].map(intervalOf)).toEqual(["day", "day", "week", "week"]);
    expect(intervalOf(24 * 400)).toBe("month");
  });
});
