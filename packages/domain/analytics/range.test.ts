import { describe, expect, test } from "bun:test";
import { hourMs } from "../dates/lengths.ts";
import { bucketOf, bucketStarts, hourRange, type Interval, previousRange, usualInterval } from "./range.ts";

const hour = (text: string) => Date.parse(text) / hourMs;
const written = (hours: readonly number[] | null) =>
  hours?.map((at) => new Date(at * hourMs).toISOString().slice(0, "2026-11-17T10".length));
const nowMs = Date.parse("2026-11-17T10:20:00Z");

describe("ranges", () => {
  test("by default, a range is the last 30 days of the time zone, and ends with the current hour", () => {
    const usual = { fromMs: null, toMs: null };
    const to = hour("2026-11-17T11:00Z");
    expect(hourRange(usual, "UTC", nowMs)).toEqual({ from: hour("2026-10-19T00:00Z"), to });
    expect(hourRange(usual, "Europe/Berlin", nowMs)).toEqual({ from: hour("2026-10-18T22:00Z"), to });
    const future = { fromMs: nowMs - 90 * 60_000, toMs: nowMs + 10 * hourMs };
    expect(hourRange(future, "UTC", nowMs)).toEqual({ from: hour("2026-11-17T08:00Z"), to });
  });

  test("a range that is empty or in the future is refused", () => {
    expect(hourRange({ fromMs: nowMs, toMs: nowMs - 5 * hourMs }, "UTC", nowMs)).toBeNull();
    expect(hourRange({ fromMs: nowMs + 2 * hourMs, toMs: null }, "UTC", nowMs)).toBeNull();
    expect(hourRange({ fromMs: -hourMs, toMs: null }, "UTC", nowMs)).toBeNull();
  });

  test("a range is compared with as many hours before it", () =>
    expect(previousRange({ from: 100, to: 124 })).toEqual({ from: 76, to: 100 }));
});

describe("buckets", () => {
  test.each<[Interval, zone: string, starts: string, to: string]>([
    // Over the end of summer time a day has 25 hours, and over its start 23.
    ["day", "Europe/Berlin", "2026-10-23T22 2026-10-24T22 2026-10-25T23", "2026-10-26T23"],
    ["day", "Europe/Berlin", "2026-03-28T00 2026-03-28T23 2026-03-29T22", "2026-03-30T12"],
    // In a zone of half hours, they start at the next full UTC hour.
    ["day", "Asia/Kolkata", "2026-11-15T00 2026-11-15T19 2026-11-16T19", "2026-11-17T00"],
    // A midnight is skipped.
    ["day", "America/Sao_Paulo", "2018-11-03T12 2018-11-04T03 2018-11-05T02", "2018-11-05T12"],
    // A week starts on Monday.
    ["week", "UTC", "2026-11-04T00 2026-11-09T00 2026-11-16T00", "2026-11-17T00"],
    ["month", "America/New_York", "2026-01-31T12 2026-02-01T05 2026-03-01T05", "2026-04-01T04"],
    ["hour", "UTC", "2026-11-04T00 2026-11-04T01", "2026-11-04T02"],
  ])("buckets of one %s in %s start at %s, and the last ends at %s", (interval, zone, starts, to) => {
    const [from = ""] = starts.split(" ");
    const range = { from: hour(`${from}:00Z`), to: hour(`${to}:00Z`) };
    expect(written(bucketStarts(range, interval, zone, 800))).toEqual(starts.split(" "));
  });

  test("a range with more buckets than the maximum is refused", () => {
    const month = { from: 0, to: 801 };
    expect(bucketStarts(month, "hour", "UTC", 800)).toBeNull();
    expect(bucketStarts({ from: 0, to: 800 }, "hour", "UTC", 800)).toHaveLength(800);
  });

  test("a bucket contains the hours from its start to that of the next", () => {
    const starts = [10, 34, 58];
    expect([10, 33, 34, 57, 58, 99].map((at) => bucketOf(starts, at))).toEqual([0, 0, 1, 1, 2, 2]);
  });

  test("longer ranges have longer buckets", () => {
    const intervalOf = (to: number) => usualInterval({ from: 0, to });
    expect([24, 72].map(intervalOf)).toEqual(["hour", "hour"]);
    expect([73, 24 * 93, 24 * 94, 24 * 367].map(intervalOf)).toEqual(["day", "day", "week", "week"]);
    expect(intervalOf(24 * 400)).toBe("month");
  });
});
