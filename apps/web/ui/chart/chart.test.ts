import { expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { bucketPoints } from "./bucket-labels.ts";
import { linePath, type Plot, pointAt } from "./plot.ts";
import { largest, type Series, stack, totalAt } from "./series.ts";
import { shownLabels, ticksFor } from "./time-chart.tsx";

const hours = (from: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    from: new Date(Date.parse(from) + at * hourMs).toISOString(),
    to: new Date(Date.parse(from) + (at + 1) * hourMs).toISOString(),
  }));
const plain = (text = "") => text.replaceAll(/[\u2009\u202f\u00a0]/g, " ");

test("an hour that comes twice has two names", () => {
  // Clocks are put back at 03:00 on 25 October 2026: 02:00 comes twice.
  const shown = { interval: "hour", timeZone: "Europe/Berlin", language: "de" } as const;
  const points = bucketPoints(hours("2026-10-24T23:00:00.000Z", 4), shown);
  expect(points.map(({ short }) => short)).toEqual(["01:00", "02:00", "02:00", "03:00"]);
  expect(new Set(points.map(({ full }) => full)).size).toBe(4);
  expect(points[1]?.full).toContain("MESZ");
  expect(points[2]?.full).toContain("MEZ");
});

test.each([
  ["UTC", "2026-11-17T00:00:00.000Z", "1:00 AM"],
  ["Asia/Kolkata", "2026-11-16T19:00:00.000Z", "1:30 AM"],
])("the first hour of a day is labelled with the day in %s", (timeZone, from, second) => {
  const points = bucketPoints(hours(from, 2), { interval: "hour", timeZone, language: "en" });
  expect(points.map(({ short }) => plain(short))).toEqual(["Nov 17", second]);
});

test.each([
  // A day of 25 hours in Berlin.
  ["day", "2026-10-24T22:00:00.000Z", "Oct 25", "Sunday, October 25, 2026"],
  ["week", "2026-10-18T22:00:00.000Z", expect.anything(), "Oct 19 – 25, 2026"],
  ["month", "2026-09-30T22:00:00.000Z", "Oct", "October 2026"],
] as const)("a %s is that of the time zone, however long it is", (interval, from, short, full) => {
  const to = interval === "month" ? "2026-10-31T23:00:00.000Z" : "2026-10-25T23:00:00.000Z";
  const [point] = bucketPoints([{ from, to }], { interval, timeZone: "Europe/Berlin", language: "en" });
  expect({ short: point?.short, full: plain(point?.full) }).toEqual({ short, full });
});

test("months of two years name their year", () => {
  const starts = ["2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "2027-02-01T00:00:00.000Z"];
  const months = [0, 1].map((at) => ({ from: starts[at] ?? "", to: starts[at + 1] ?? "" }));
  const points = bucketPoints(months, { interval: "month", timeZone: "UTC", language: "en" });
  expect(points.map(({ short }) => short)).toEqual(["Dec 26", "Jan 27"]);
});

test("the pointer chooses the nearest point, and a line has gaps where there is no value", () => {
  const plot: Plot = { count: 4, left: 10, top: 0, width: 80, height: 100, highest: 10 };
  expect([0, 10, 29, 30, 89, 200].map((x) => pointAt(plot, x))).toEqual([0, 0, 0, 1, 3, 3]);
  expect(pointAt({ ...plot, count: 0 }, 20)).toBeNull();
  expect(linePath(plot, [0, 5, 10, 5])).toBe("M20.0 100.0L40.0 50.0L60.0 0.0L80.0 50.0");
  expect(linePath(plot, [0, 5, null, 5])).toBe("M20.0 100.0L40.0 50.0M77.0 50.0h6");
});

test("the parts of a bar follow each other, without those that have no value, and shares fill the bar", () => {
  const series: readonly Series[] = [
    { key: "a", name: "A", values: [3, 0, null], tone: 0 },
    { key: "b", name: "B", values: [1, 0, 4], tone: 1 },
  ];
  expect(stack(series, 0)).toEqual([
    { key: "a", tone: 0, from: 0, to: 3 },
    { key: "b", tone: 1, from: 3, to: 4 },
  ]);
  expect(stack(series, 2)).toEqual([{ key: "b", tone: 1, from: 0, to: 4 }]);
  expect(totalAt(series, 2)).toBe(4);
  expect(stack(series, 0, true).map(({ to }) => to)).toEqual([0.75, 1]);
  expect(stack(series, 1, true)).toEqual([]);
});

test("the smallest parts are summed up, but never a single one", () => {
  const size = (one: number) => one;
  expect(largest([1, 5, 3, 2, 4], 3, size)).toEqual({ shown: [5, 4, 3], rest: [2, 1] });
  expect(largest([1, 5, 3, 4], 3, size)).toEqual({ shown: [5, 4, 3, 1], rest: [] });
  expect(largest([], 3, size)).toEqual({ shown: [], rest: [] });
});

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [4, [0, 1, 2, 3, 4]],
  [5, [0, 2, 4, 6]],
  [97, [0, 50, 100]],
  [101, [0, 50, 100, 150]],
  [1_000_000, [0, 500_000, 1_000_000]],
])("a scale up to %d has lines at %j", (highest, ticks) => expect(ticksFor(highest)).toEqual(ticks));

test("a scale is never shorter than its highest value and never has many lines", () => {
  for (let highest = 1; highest < 3_000_000; highest = highest * 1.07 + 1) {
    const ticks = ticksFor(highest);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest);
    expect(ticks.length).toBeLessThanOrEqual(6);
    expect(ticks.every(Number.isInteger)).toBe(true);
  }
});

test("labels that do not overlap are shown, the newest always", () => {
  expect(shownLabels(7, 700, 60)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(shownLabels(30, 300, 60)).toEqual([5, 11, 17, 23, 29]);
  expect([shownLabels(0, 300, 60), shownLabels(30, 0, 60)]).toEqual([[], []]);
});
