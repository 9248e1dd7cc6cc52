import { describe, expect, test } from "bun:test";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { newId } from "../new-id.ts";
import { times } from "../suite/calls.ts";
import type { RequestKeyRow, RequestLogRow } from "../tables.ts";
import { rowOf } from "./entry-row.ts";
import * as requestKeys from "./keys.ts";

const { ipKey, keyColumn, keysIn, labelled, mergeKeys, mostTimes, timesOfKey } = requestKeys;

function row(values: Partial<RequestLogRow>): RequestLogRow {
  return rowOf(journalEntry(values));
}

describe("the keys of a segment", () => {
  const rows = [
    row({ at: 1_000, organization_id: "a", license_id: "l", ip: "192.0.2.1" }),
    row({ at: 1_000, organization_id: "a", license_id: "l", ip: "192.0.2.2" }),
    row({ at: 1_007, organization_id: "a", license_id: null, ip: "192.0.2.1" }),
    row({ at: 1_009, organization_id: "b", license_id: "m", ip: "192.0.2.1" }),
  ];
  const find = (keys: readonly RequestKeyRow[], kind: requestKeys.KeyKind, key: string) => {
    const found = keys.find((one) => one.kind === kind && one.key === keyColumn(kind, key));
    return found === undefined ? undefined : timesOfKey(found, kind, key);
  };

  test("tell when organizations, licenses and IP addresses occur", () => {
    const keys = keysIn(rows, 1_000);
    const expected = [
      ["o", "a", [0, 7]],
      ["o", "b", [9]],
      ["o", "c", undefined],
      ["l", "l", [0]],
      ["l", "m", [9]],
      ["l", "n", undefined],
      ["i", ipKey("a", "192.0.2.1"), [0, 7]],
      ["i", ipKey("a", "192.0.2.2"), [0]],
      ["i", ipKey("b", "192.0.2.1"), [9]],
      ["i", ipKey("b", "192.0.2.2"), undefined],
    ] as const;
    for (const [kind, key, at] of expected) expect([key, find(keys, kind, key)]).toEqual([key, at] as never);
    const counts = Object.groupBy(keys, ({ kind }) => kind);
    expect(counts.i?.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    expect(counts.l?.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  });

  test("are sorted as their table is, and few", () => {
    const many = times(5_000, (at) =>
      row({ at, organization_id: `o${at % 7}`, license_id: newId(), ip: `${at}` }),
    );
    const keys = keysIn(many, 0);
    const positions = keys.map(({ kind, key }) => `${kind} ${key}`);
    expect(positions).toEqual(positions.toSorted());
    expect(keys.length).toBe(2 * 256 + 7);
    for (const { at, license_id, organization_id, ip } of many) {
      expect(find(keys, "l", license_id ?? "")).toContain(at);
      expect(find(keys, "i", ipKey(organization_id, ip))).toContain(at);
    }
  });

  test("list no times beyond a thousand", () => {
    const found = (count: number) => {
      const rows = times(count, (at) => row({ at, organization_id: "a", license_id: "l" }));
      const keys = keysIn(rows, 0);
      return [find(keys, "o", "a")?.length, find(keys, "l", "l")?.length];
    };
    expect(found(mostTimes)).toEqual([mostTimes, mostTimes]);
    expect(found(mostTimes + 1)).toEqual([undefined, undefined]);
    const keys = keysIn(
      times(mostTimes + 1, (at) => row({ at, license_id: "l" })),
      0,
    );
    expect(find(keys, "l", "l")).toBeNull();
  });

  test("of late rows are added to those of the segment", () => {
    const all = keysIn(rows, 1_000);
    for (const split of [1, 2, 3]) {
      const [some, late] = [keysIn(rows.slice(split), 1_000), keysIn(rows.slice(0, split), 1_000)];
      const same = (one: RequestKeyRow) => (other: RequestKeyRow) =>
        one.kind === other.kind && one.key === other.key;
      const merged = [
        ...some.map((key) => {
          const other = late.find(same(key));
          return other === undefined ? key : mergeKeys(key, other);
        }),
        ...late.filter((key) => !some.some(same(key))),
      ];
      const plain = (keys: readonly RequestKeyRow[]) =>
        new Map(
          keys.map((key) => [
            `${key.kind} ${key.key}`,
            [key.count, key.kind === "o" ? key.ats : labelled(key)],
          ]),
        );
      expect(plain(merged)).toEqual(plain(all));
    }
    const many = keysIn(
      times(mostTimes, (at) => row({ at, license_id: "l" })),
      0,
    );
    const late = keysIn([row({ at: 5_000, license_id: "l" })], 0);
    const [one, other] = [many, late].map((keys) => keys.find(({ kind }) => kind === "l") as RequestKeyRow);
    if (one === undefined || other === undefined) throw new Error("Both have the key of the license.");
    expect(timesOfKey(mergeKeys(one, other), "l", "l")).toBeNull();
  });
});
