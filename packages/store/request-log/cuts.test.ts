import { describe, expect, test } from "bun:test";
import { cutsToFit, fairShare, type LogUse } from "./cuts.ts";
import { startOfDay } from "./tables.ts";

describe("which organizations lose requests if the log is too large", () => {
  test("what some do not need is shared by the others", () => {
    const cases: [number[], number, number][] = [
      [[10, 20, 30], 60, Number.POSITIVE_INFINITY],
      [[10, 20, 30], 59, 29],
      [[100, 5, 5], 50, 40],
      [[30, 30, 30], 60, 20],
      [[5, 40, 100], 65, 30],
      [[7], 0, 0],
      [[], 0, Number.POSITIVE_INFINITY],
    ];
    for (const [totals, most, share] of cases)
      expect([totals, fairShare(totals, most)]).toEqual([totals, share]);
  });

  /** What each organization has in each day; a day of an organization has segments of 10 bytes. */
  const log = (
    days: readonly Readonly<Record<string, number>>[],
    closedUntil = startOfDay(days.length),
  ): LogUse => ({
    closedUntil,
    ofDays: async () =>
      days.flatMap((ofDay, day) =>
        Object.entries(ofDay).map(([organizationId, bytes]) => ({ day, organizationId, bytes })),
      ),
    ofSegments: async (organizationId, day) =>
      Array.from({ length: (days[day]?.[organizationId] ?? 0) / 10 }, (_, index) => ({
        untilMs: startOfDay(day) + (index + 1) * 1_000,
        bytes: 10,
      })),
  });
  const cut = async (use: LogUse, most: number) =>
    (await cutsToFit(use, most / 0.95)).map(({ organizationId, untilMs }) => [organizationId, untilMs]);

  test("the organization with the most loses its oldest requests: whole days, then segments", async () => {
    const use = log([{ busy: 100, small: 10 }, { busy: 100 }, { busy: 100, small: 10 }]);
    expect(await cut(use, 320)).toEqual([]);
    expect(await cut(use, 319)).toEqual([["busy", 1_000]]);
    expect(await cut(use, 309)).toEqual([["busy", 2_000]]);
    expect(await cut(use, 220)).toEqual([["busy", startOfDay(1)]]);
    expect(await cut(use, 190)).toEqual([["busy", startOfDay(1) + 3_000]]);
    expect(await cut(use, 30)).toEqual([
      ["busy", startOfDay(2) + 9_000],
      ["small", 1_000],
    ]);
  });

  test("several with too much lose down to the same share", async () => {
    const use = log([{ one: 60, other: 100, small: 20 }]);
    expect(await cut(use, 120)).toEqual([
      ["one", 1_000],
      ["other", 5_000],
    ]);
  });

  test("what is not closed yet is not cut", async () => {
    expect(await cut(log([{ one: 100 }], 5_000), 0)).toEqual([["one", 5_000]]);
  });
});
