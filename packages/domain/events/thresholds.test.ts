import { expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { crossedMarks, warningAt } from "./thresholds.ts";

test.each<[why: string, limit: number, before: number, after: number, events: string[]]>([
  ["nothing far from the limit", 100, 0, 79, []],
  ["a warning at 80 %", 100, 79, 80, ["quota.warning"]],
  ["nothing between the marks", 100, 80, 99, []],
  ["the end when the limit is reached", 100, 99, 100, ["quota.exhausted"]],
  ["nothing after the limit was reached", 100, 100, 100, []],
  ["both events when it passes both marks", 100, 10, 100, ["quota.warning", "quota.exhausted"]],
  ["both events with a limit of 1", 1, 0, 1, ["quota.warning", "quota.exhausted"]],
  ["nothing with a limit of 0", 0, 0, 0, []],
  ["nothing when the limit was lowered below what was used", 10, 50, 50, []],
])("a batch reports %s", (_why, limit, before, after, events) => {
  expect(crossedMarks(limit, before, after)).toEqual(events as never);
});

test("however the requests come, each mark is crossed once", () =>
  forAll(100, [fc.integer({ min: 1, max: 500 }), fc.array(fc.nat({ max: 40 }))], (limit, steps) => {
    let used = 0;
    const events: string[] = [];
    for (const step of [...steps, limit]) {
      const after = Math.min(limit, used + step);
      events.push(...crossedMarks(limit, used, after));
      used = after;
    }
    expect(events.sort()).toEqual(["quota.exhausted", "quota.warning"]);
  }));

test("without a limit there is no warning", () => expect(warningAt(null)).toBe(Number.POSITIVE_INFINITY));
