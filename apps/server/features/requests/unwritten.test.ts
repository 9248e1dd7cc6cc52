import { expect, test } from "bun:test";
import { Unwritten } from "./unwritten.ts";

test("the oldest entry is that of the first list that is not written completely", () => {
  const unwritten = new Unwritten();
  expect(unwritten.oldestMs).toBeNull();
  unwritten.add(3, 100);
  unwritten.add(2, 200);
  unwritten.written(2);
  expect([unwritten.count, unwritten.oldestMs]).toEqual([3, 100]);
  unwritten.written(2);
  expect([unwritten.count, unwritten.oldestMs]).toEqual([1, 200]);
  unwritten.written(1);
  expect([unwritten.count, unwritten.oldestMs]).toEqual([0, null]);
  unwritten.add(1, 300);
  unwritten.clear();
  expect([unwritten.count, unwritten.oldestMs]).toEqual([0, null]);
});
