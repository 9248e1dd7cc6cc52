import { expect, test } from "bun:test";
import { areStepsDone, barsOf, groupRepeats, isPastFirstDays, largestOf, totalOf } from "./overview.ts";

test("the largest bucket is the first of those with the most, and every bucket counts and has its bar", () => {
  const of = (...counts: number[]) => counts.map((count, at) => ({ from: `day ${at}`, count }));
  expect([largestOf(of(1, 4, 0, 4))?.from, largestOf(of())]).toEqual(["day 1", undefined]);
  expect([totalOf(of(1, 0, 52_000)), totalOf(of())]).toEqual([52_001, 0]);
  expect(barsOf(of(0, 4), ({ from }) => from)).toEqual([
    { key: "day 0", title: "day 0", parts: [{ value: 0 }] },
    { key: "day 1", title: "day 1", parts: [{ value: 4 }] },
  ]);
});

test.each([
  ["are over if all are done", [true, true], 1, true],
  ["are over if the user has none", [], 0, true],
  ["are not over if one is left", [true, false], 1, false],
  ["are undecided if one is not known yet", [true, undefined], 1, undefined],
  ["are over if one is left, but apps validate many licenses", [true, false], 52_000, true],
  ["are over if apps validate many licenses, and one is unknown", [true, undefined], 52_000, true],
] as const)("the first steps %s", (_, done, usedLicenses, isOver) => {
  const steps = done.map((isDone) => ({ isDone }));
  expect(areStepsDone(steps, usedLicenses)).toBe(isOver);
});

test("an organization is past its first days when it is more than 30 days old", () => {
  const isPast = (createdAt: string) => isPastFirstDays(createdAt, Date.parse("2026-11-17T12:00:00Z"));
  const created = ["2026-11-17T11:59:00Z", "2026-10-18T12:00:00Z", "2026-10-17T12:00:00Z"];
  expect(created.map(isPast)).toEqual([false, false, true]);
});

test("consecutive entries of one kind become one with the newest first, cut where the list has more pages", () => {
  const grouped = (data: string[], next_cursor: string | null) =>
    groupRepeats({ data, next_cursor }, (one) => one.charAt(0)).map(Object.values);
  expect(grouped(["b3", "b2", "a2", "b1", "a1"], null)).toEqual([
    ["b3", 2, false],
    ["a2", 1, false],
    ["b1", 1, false],
    ["a1", 1, false],
  ]);
  expect(grouped(["b2", "a2", "a1"], "more")).toEqual([
    ["b2", 1, false],
    ["a2", 2, true],
  ]);
  expect([grouped([], null), groupRepeats<string>(undefined, String)]).toEqual([[], []]);
});
