import { expect, test } from "bun:test";
import { groupRepeats } from "./group-repeats.ts";

const kindOf = (one: string) => one.charAt(0);

test("consecutive entries of one kind become one entry with the newest first", () => {
  const data = ["b3", "b2", "a2", "b1", "a1"];
  expect(groupRepeats({ data, next_cursor: null }, kindOf)).toEqual([
    { newest: "b3", count: 2, isCut: false },
    { newest: "a2", count: 1, isCut: false },
    { newest: "b1", count: 1, isCut: false },
    { newest: "a1", count: 1, isCut: false },
  ]);
  expect(groupRepeats(undefined, kindOf)).toEqual([]);
  expect(groupRepeats({ data: [], next_cursor: null }, kindOf)).toEqual([]);
});

test("the length of the oldest run is unknown if the list has more pages", () => {
  expect(groupRepeats({ data: ["b2", "a2", "a1"], next_cursor: "more" }, kindOf)).toEqual([
    { newest: "b2", count: 1, isCut: false },
    { newest: "a2", count: 2, isCut: true },
  ]);
});
