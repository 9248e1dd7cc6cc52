import { expect, test } from "bun:test";
import { shownLabels, ticksFor } from "./ticks.ts";

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
  expect(shownLabels(0, 300, 60)).toEqual([]);
  expect(shownLabels(30, 0, 60)).toEqual([]);
});
