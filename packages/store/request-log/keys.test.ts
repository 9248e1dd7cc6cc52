import { describe, expect, test } from "bun:test";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { newId } from "../new-id.ts";
import { times } from "../suite/calls.ts";
import type { RequestKeyRow, RequestLogRow } from "../tables/journal.ts";
import * as requestKeys from "./keys.ts";

const { ipKey, keyColumn, keysIn, mergeKeys, maxTimes, timesOfKey } = requestKeys;

function row(values: Partial<RequestLogRow>): RequestLogRow {
  return journalEntry(values);
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

  test("keys tell when organizations, licenses and IP addresses occur", () => {
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

  test("keys are sorted as their table is, and few", () => {
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

  test("keys list no times beyond a thousand", () => {
    const found = (count: number) => {
      const rows = times(count, (at) => row({ at, organization_id: "a", license_id: "l" }));
      const keys = keysIn(rows, 0);
      return [find(keys, "o", "a")?.length, find(keys, "l", "l")?.length];
    };
    expect(found(maxTimes)).toEqual([maxTimes, maxTimes]);
    expect(found(maxTimes + 1)).toEqual([undefined, undefined]);
    const ofLicense = times(maxTimes + 1, (at) => row({ at, license_id: "l" }));
    expect(find(keysIn(ofLicense, 0), "l", "l")).toBeNull();
  });

  /** That late rows are added to the others: packages/store/suite/request-log.ts. */
  test("keys that got late rows list no times beyond a thousand either", () => {
    const ofLicense = (...ats: number[]) => {
      const keys = keysIn(
        ats.map((at) => row({ at, license_id: "l" })),
        0,
      );
      const [key] = keys.filter(({ kind }) => kind === "l");
      if (key === undefined) throw new Error("The rows have the key of their license.");
      return key;
    };
    const merged = (count: number) => mergeKeys(ofLicense(...times(count, (at) => at)), ofLicense(5_000));
    expect(timesOfKey(merged(maxTimes - 1), "l", "l")).toHaveLength(maxTimes);
    expect(timesOfKey(merged(maxTimes), "l", "l")).toBeNull();
  });
});
