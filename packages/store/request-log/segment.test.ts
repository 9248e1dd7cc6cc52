import { describe, expect, test } from "bun:test";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { times } from "../suite/calls.ts";
import type { RequestKeyRow, RequestLogRow } from "../tables.ts";
import { rowOf } from "./entry-row.ts";
import {
  horizon,
  isDue,
  keysIn,
  mergeKeys,
  mostTimes,
  rowsPerSegment,
  wholeMilliseconds,
} from "./segment.ts";

function row(values: Partial<RequestLogRow>): RequestLogRow {
  return rowOf(journalEntry(values));
}

function key(count: number, ats: string | null): RequestKeyRow {
  return { from_at: 0, kind: "l", key: "k", count, ats };
}

describe("the keys of a segment", () => {
  test("are its organizations, licenses and IP addresses, with the times of their rows", () => {
    const rows = [
      row({ at: 1_000, organization_id: "a", license_id: "l", ip: "192.0.2.1" }),
      row({ at: 1_000, organization_id: "a", license_id: "l", ip: "192.0.2.2" }),
      row({ at: 1_007, organization_id: "a", license_id: null, ip: "192.0.2.1" }),
      row({ at: 1_009, organization_id: "b", license_id: "m", ip: "192.0.2.1" }),
    ];
    const found = keysIn(rows, 1_000).map(({ kind, key, count, ats }) => [kind, key, count, ats]);
    expect(found).toEqual([
      ["i", "a 192.0.2.1", 2, "[0,7]"],
      ["i", "a 192.0.2.2", 1, "[0]"],
      ["i", "b 192.0.2.1", 1, "[9]"],
      ["l", "l", 2, "[0]"],
      ["l", "m", 1, "[9]"],
      ["o", "a", 3, "[0,7]"],
      ["o", "b", 1, "[9]"],
    ]);
  });

  test("list no times beyond a thousand", () => {
    const ats = (count: number) =>
      keysIn(
        times(count, (at) => row({ at, organization_id: "a" })),
        0,
      ).map((key) => key.ats !== null);
    expect(ats(mostTimes)).toEqual([true, true]);
    expect(ats(mostTimes + 1)).toEqual([false, false]);
  });

  test("of late rows are added to those of the segment", () => {
    expect(mergeKeys(key(2, "[3,9]"), key(2, "[1,9]"))).toEqual(key(4, "[1,3,9]"));
    expect(mergeKeys(key(2_000, null), key(1, "[1]"))).toEqual(key(2_001, null));
    const many = JSON.stringify(times(mostTimes, (at) => at));
    expect(mergeKeys(key(mostTimes, many), key(1, "[5000]"))).toEqual(key(mostTimes + 1, null));
  });
});

describe("a segment", () => {
  const noon = Date.UTC(2026, 10, 17, 12);
  const minutes = (count: number) => count * 60_000;
  test("is closed once it is large, or its oldest row is old", () => {
    expect(isDue(noon, rowsPerSegment, noon + minutes(1))).toBe(false);
    expect(isDue(noon, rowsPerSegment + 1, noon + minutes(1))).toBe(true);
    expect(isDue(noon, 1, noon + minutes(14.9))).toBe(false);
    expect(isDue(noon, 1, noon + minutes(15))).toBe(true);
    expect(isDue(noon, 0, noon + minutes(15))).toBe(false);
  });

  test("ends within its day, and some seconds ago", () => {
    expect(horizon(noon, noon + minutes(20))).toBe(noon + minutes(20) - 5_000);
    expect(horizon(noon, noon + 48 * minutes(60))).toBe(Date.UTC(2026, 10, 18));
  });

  test("never divides the rows of a millisecond", () => {
    const at = (count: number, lastAt: number) =>
      times(rowsPerSegment + 1, (index) => row({ at: index < count ? index : lastAt }));
    expect(wholeMilliseconds(at(rowsPerSegment - 3, 1e6))).toHaveLength(rowsPerSegment - 3);
    expect(wholeMilliseconds(at(rowsPerSegment, 1e6))).toHaveLength(rowsPerSegment);
    expect(wholeMilliseconds(at(0, 1e6))).toHaveLength(0);
    expect(wholeMilliseconds(at(9, 1e6).slice(0, 20))).toHaveLength(20);
  });
});
