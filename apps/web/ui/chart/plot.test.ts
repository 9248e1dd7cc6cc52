import { expect, test } from "bun:test";
import { linePath, type Plot, pointAt } from "./plot.ts";

const plot: Plot = { count: 4, left: 10, top: 0, width: 80, height: 100, highest: 10 };

test("the pointer chooses the point it is over, and at the edges the nearest", () => {
  expect([0, 10, 29, 30, 89, 200].map((x) => pointAt(plot, x))).toEqual([0, 0, 0, 1, 3, 3]);
  expect(pointAt({ ...plot, count: 0 }, 20)).toBeNull();
});

test("a line has gaps where there is no value", () => {
  expect(linePath(plot, [0, 5, 10, 5])).toBe("M20.0 100.0L40.0 50.0L60.0 0.0L80.0 50.0");
  expect(linePath(plot, [0, 5, null, 5])).toBe("M20.0 100.0L40.0 50.0M77.0 50.0h6");
});
