import { describe, expect, test } from "bun:test";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { times } from "../suite/calls.ts";
import type { RequestLogRow } from "../tables/journal.ts";
import { horizon, isDue, rowsPerSegment, wholeMilliseconds } from "./segment.ts";

function row(values: Partial<RequestLogRow>): RequestLogRow {
  return journalEntry(values);
}

describe("segments", () => {
  const noon = Date.UTC(2026, 10, 17, 12);
  const minutes = (count: number) => count * 60_000;
  test("a segment is closed once it is large, or its oldest row is old", () => {
    expect(isDue(noon, rowsPerSegment, noon + minutes(1))).toBe(false);
    expect(isDue(noon, rowsPerSegment + 1, noon + minutes(1))).toBe(true);
    expect(isDue(noon, 1, noon + minutes(14.9))).toBe(false);
    expect(isDue(noon, 1, noon + minutes(15))).toBe(true);
    expect(isDue(noon, 0, noon + minutes(15))).toBe(false);
  });

  test("a segment ends within its day, and some seconds ago", () => {
    expect(horizon(noon, noon + minutes(20))).toBe(noon + minutes(20) - 5_000);
    expect(horizon(noon, noon + 48 * minutes(60))).toBe(Date.UTC(2026, 10, 18));
  });

  test("a segment never divides the rows of a millisecond", () => {
    const at = (count: number, lastAt: number) =>
      times(rowsPerSegment + 1, (index) => row({ at: index < count ? index : lastAt }));
    expect(wholeMilliseconds(at(rowsPerSegment - 3, 1e6))).toHaveLength(rowsPerSegment - 3);
    expect(wholeMilliseconds(at(rowsPerSegment, 1e6))).toHaveLength(rowsPerSegment);
    expect(wholeMilliseconds(at(0, 1e6))).toHaveLength(0);
    expect(wholeMilliseconds(at(9, 1e6).slice(0, 20))).toHaveLength(20);
  });
});
