import { expect, test } from "bun:test";
import { analyticsSearch } from "./search.ts";
import { instantOf, rangeOf, startOfBefore } from "./use-analytics.ts";

const now = Date.parse("2026-11-17T18:20:00.000Z");

test.each([
  ["24h", "UTC", "2026-11-16T19:00:00.000Z"],
  ["today", "UTC", "2026-11-17T00:00:00.000Z"],
  // It is the 18th in Tokyo already.
  ["today", "Asia/Tokyo", "2026-11-17T15:00:00.000Z"],
  ["7d", "America/New_York", "2026-11-11T05:00:00.000Z"],
  // Clocks were put back on 25 October: that day started in summer time.
  ["30d", "Europe/Berlin", "2026-10-18T22:00:00.000Z"],
  ["90d", "UTC", "2026-08-20T00:00:00.000Z"],
  ["12m", "Europe/Berlin", "2025-11-30T23:00:00.000Z"],
] as const)("the range %s in %s starts at %s and has no end", (range, zone, from) => {
  expect(rangeOf({ range }, zone, now)).toEqual({ from });
});

test("a custom range is the one in the URL", () => {
  const times = { from: "2026-11-01T00:00:00.000Z", to: "2026-11-03T00:00:00.000Z" };
  const kept = { ...times, compare: false, zone: "Europe/Atlantis" } as const;
  const search = analyticsSearch({ ...kept, range: "7d", interval: "fortnight" });
  expect(search).toEqual({ ...kept, range: undefined, interval: undefined, product: undefined });
  expect(rangeOf(search, "UTC", now)).toEqual(times);
});

test.each([
  ["hour", 24, "UTC", "2026-11-17T00:00:00.000Z", "2026-11-16T00:00:00.000Z"],
  // Seven days before, clocks were put back: midnight stays midnight.
  ["day", 7, "Europe/Berlin", "2026-10-26T23:00:00.000Z", "2026-10-19T22:00:00.000Z"],
  ["week", 2, "Europe/Berlin", "2026-11-01T23:00:00.000Z", "2026-10-18T22:00:00.000Z"],
  ["month", 12, "Europe/Berlin", "2026-09-30T22:00:00.000Z", "2025-09-30T22:00:00.000Z"],
  ["month", 1, "UTC", "2027-03-31T00:00:00.000Z", "2027-02-28T00:00:00.000Z"],
] as const)(
  "the previous period of %s × %d in %s ends at %s and starts at %s",
  (interval, count, zone, from, before) => expect(startOfBefore(from, interval, count, zone)).toBe(before),
);

test.each([
  ["2026-11-17T10:00", "UTC", "2026-11-17T10:00:00.000Z"],
  ["2026-11-17T10:00", "Europe/Berlin", "2026-11-17T09:00:00.000Z"],
  ["2026-07-17T10:00", "America/New_York", "2026-07-17T14:00:00.000Z"],
  // Clocks go from 02:00 to 03:00.
  ["2027-03-28T02:30", "Europe/Berlin", "2027-03-28T01:00:00.000Z"],
  ["", "UTC", null],
  ["tomorrow", "UTC", null],
])("the time %s in %s is %s", (local, zone, instant) => expect(instantOf(local, zone)).toBe(instant));
