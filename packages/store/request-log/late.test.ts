import { expect, test } from "bun:test";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { rowOf } from "./entry-row.ts";
import { type Bounds, placeLate } from "./late.ts";

const segments: Bounds[] = [
  { from_at: 100, until_at: 200 },
  { from_at: 300, until_at: 400 },
];

const cases: [
  why: string,
  ats: number[],
  placed: [from: number, until: number, isNew: boolean, rows: number][],
][] = [
  ["before all segments", [5, 50], [[5, 51, true, 2]]],
  ["in a segment, at its bounds", [100, 199], [[100, 200, false, 2]]],
  ["between two segments", [200, 250, 299], [[200, 300, true, 3]]],
  ["after all segments", [400, 401], [[400, 402, true, 2]]],
  [
    "everywhere",
    [1, 150, 150, 210, 399, 500],
    [
      [1, 2, true, 1],
      [100, 200, false, 2],
      [210, 211, true, 1],
      [300, 400, false, 1],
      [500, 501, true, 1],
    ],
  ],
];

test.each(cases)("late rows %s", (_why, ats, placed) => {
  const rows = ats.map((at) => rowOf(journalEntry({ at })));
  const found = placeLate(rows, segments.toReversed());
  expect(found.map(({ from_at, until_at, isNew, rows }) => [from_at, until_at, isNew, rows.length])).toEqual(
    placed,
  );
});

test("late rows of a day without segments get one", () => {
  const rows = [3, 9].map((at) => rowOf(journalEntry({ at })));
  expect(placeLate(rows, [])).toEqual([{ from_at: 3, until_at: 10, isNew: true, rows }]);
});
