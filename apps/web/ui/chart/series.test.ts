import { expect, test } from "bun:test";
import { largest, type Series, stack, totalAt } from "./series.ts";

const series: readonly Series[] = [
  { key: "a", name: "A", values: [3, 0, null], tone: 0 },
  { key: "b", name: "B", values: [1, 0, 4], tone: 1 },
];

test("the parts of a bar follow each other, and parts without a value are left out", () => {
  expect(stack(series, 0)).toEqual([
    { key: "a", tone: 0, from: 0, to: 3 },
    { key: "b", tone: 1, from: 3, to: 4 },
  ]);
  expect(stack(series, 2)).toEqual([{ key: "b", tone: 1, from: 0, to: 4 }]);
  expect(totalAt(series, 2)).toBe(4);
});

test("shares fill the bar, and a point without values has no bar", () => {
  expect(stack(series, 0, true).map(({ to }) => to)).toEqual([0.75, 1]);
  expect(stack(series, 1, true)).toEqual([]);
});

test("the smallest are summed up, but never a single one", () => {
  const size = (one: number) => one;
  expect(largest([1, 5, 3, 2, 4], 3, size)).toEqual({ shown: [5, 4, 3], rest: [2, 1] });
  expect(largest([1, 5, 3, 4], 3, size)).toEqual({ shown: [5, 4, 3, 1], rest: [] });
  expect(largest([], 3, size)).toEqual({ shown: [], rest: [] });
});
