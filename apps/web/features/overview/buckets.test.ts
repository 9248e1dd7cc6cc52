import { expect, test } from "bun:test";
import { barsOf, largestOf, totalOf } from "./buckets.ts";

const of = (...counts: number[]) => counts.map((count, at) => ({ from: `day ${at}`, count }));

test("the largest bucket is the first of those with the most", () => {
  expect(largestOf(of(1, 4, 0, 4))?.from).toBe("day 1");
  expect(largestOf(of())).toBeUndefined();
});

test("every bucket counts, and has its bar", () => {
  expect(totalOf(of(1, 0, 52_000))).toBe(52_001);
  expect(totalOf(of())).toBe(0);
  expect(barsOf(of(0, 4), ({ from }) => from)).toEqual([
    { key: "day 0", title: "day 0", parts: [{ value: 0 }] },
    { key: "day 1", title: "day 1", parts: [{ value: 4 }] },
  ]);
});
