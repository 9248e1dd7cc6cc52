import { expect, test } from "bun:test";
import { barsOf, fullestOf, totalOf } from "./stretches.ts";

const of = (...counts: (number | null)[]) => counts.map((count, at) => ({ from: `day ${at}`, count }));

test("the fullest stretch is the first of those with the most", () => {
  expect(fullestOf(of(1, 4, null, 4))?.from).toBe("day 1");
  expect(fullestOf(of())).toBeUndefined();
});

test("what is not known is neither nothing nor exact", () => {
  expect(totalOf(of(1, 0, 2))).toEqual({ count: 3, isExact: true });
  expect(totalOf(of())).toEqual({ count: 0, isExact: true });
  expect(totalOf(of(null, null))).toEqual({ count: 10_000, isExact: false });
  expect(barsOf(of(null, 4), ({ from }) => from)).toEqual([
    { key: "day 0", title: "day 0", parts: [{ value: 0 }], isUnknown: true },
    { key: "day 1", title: "day 1", parts: [{ value: 4 }], isUnknown: false },
  ]);
});
