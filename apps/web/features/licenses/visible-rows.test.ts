import { expect, test } from "bun:test";
import { visibleRows } from "./visible-rows.ts";

test.each([
  ["at the top of the page, with the list further down", 1_000, -5, 20, { first: 0, end: 24 }],
  ["far down", 1_000, 500, 20, { first: 492, end: 529 }],
  ["at the end", 1_000, 985, 20, { first: 977, end: 1_000 }],
  ["past the end of a list that has become shorter", 10, 500, 20, { first: 10, end: 10 }],
  ["of an empty list", 0, -5, 20, { first: 0, end: 0 }],
])("rows are drawn a little beyond a window %s", (_, count, above, fitting, rows) => {
  expect(visibleRows(count, above, fitting)).toEqual(rows);
});
