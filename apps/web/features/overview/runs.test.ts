import { expect, test } from "bun:test";
import { runsOf } from "./runs.ts";

test("what follows each other and is alike is one entry with its newest first", () => {
  const list = ["b3", "b2", "a2", "b1", "a1"];
  expect(runsOf(list, (one) => one.charAt(0))).toEqual([
    { newest: "b3", count: 2 },
    { newest: "a2", count: 1 },
    { newest: "b1", count: 1 },
    { newest: "a1", count: 1 },
  ]);
  expect(runsOf([], String)).toEqual([]);
});
