import { expect, test } from "bun:test";
import { nextOption } from "./palette-keys.ts";

test.each([
  ["ArrowDown", -1, 3, 0],
  ["ArrowDown", 0, 3, 1],
  ["ArrowDown", 2, 3, 0],
  ["ArrowUp", -1, 3, 2],
  ["ArrowUp", 0, 3, 2],
  ["ArrowUp", 2, 3, 1],
  ["Home", 2, 3, 0],
  ["End", -1, 3, 2],
  ["ArrowDown", -1, 0, null],
  ["a", 1, 3, null],
])("%s from option %d of %d leads to %p", (key, active, count, next) => {
  expect(nextOption(key, active, count)).toBe(next);
});
