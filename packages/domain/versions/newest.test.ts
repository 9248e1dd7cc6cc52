import { expect, test } from "bun:test";
import fc from "fast-check";
import { fastestMs } from "../../../tests/support/fastest.ts";
import { forAll } from "../../../tests/support/for-all.ts";
import {
  lineContains,
  newestFirst,
  parseVersionRecord,
  VersionCatalog,
  type VersionState,
} from "./catalog.ts";
import { gateVersion } from "./gate.ts";
import { catalogOf } from "./sample-catalog.ts";
import { compareParts, compareVersions, parseVersion, type Version } from "./version.ts";

type Record = { version: string; state: VersionState };

/** The same asked of every record, one after the other. */
function newestByLookingAtAll(records: readonly Record[], min: string | null, max: string | null) {
  const [from, to] = [min, max].map((text) => (text === null ? null : parseVersion(text)));
  const isBelow = (version: Version) =>
    !to || (to.prerelease.length === 0 ? compareParts(version, to) : compareVersions(version, to)) < 0;
  const patterns = records.flatMap(({ version, state }) => {
    const pattern = parseVersionRecord(version);
    return pattern === null || state === "blocked" ? [] : [pattern];
  });
  const found = patterns.sort(newestFirst).find((pattern) => {
    const floor = pattern.kind === "exact" ? pattern.version : pattern.floor;
    if (pattern.kind === "exact") return (!from || compareVersions(floor, from) >= 0) && isBelow(floor);
    const lowest = from && compareVersions(from, floor) > 0 ? from : floor;
    return lineContains(pattern, lowest) && isBelow(lowest);
  });
  return found?.text ?? null;
}

const part = fc.integer({ min: 0, max: 3 });
const version = fc
  .tuple(part, part, part, fc.constantFrom("", "-beta", "-1"))
  .map(([a, b, c, tail]) => `${a}.${b}.${c}${tail}`);
const line = fc.oneof(
  fc.tuple(part, part).map(([a, b]) => `${a}.${b}.x`),
  part.map((a) => `${a}.x`),
);
const records = fc.uniqueArray(
  fc.record({
    version: fc.oneof(version, line),
    state: fc.constantFrom("allowed", "deprecated", "blocked") as fc.Arbitrary<VersionState>,
  }),
  { selector: (record) => record.version, maxLength: 12 },
);
const bound = fc.option(version);

test("the newest version in a range is the one that looking at all records finds", () =>
  forAll(2_000, [records, bound, bound], (all, min, max) => {
    const verdict = gateVersion(VersionCatalog.from(all), { mode: "range", min, max }, null);
    expect(verdict.version).toBe(newestByLookingAtAll(all, min, max));
  }));

test("finding it takes hardly longer in a list that is a hundred times as long", () => {
  const catalogs = [50, 5_000].map((count) =>
    catalogOf(Object.fromEntries(Array.from({ length: count }, (_, index) => [`9.${index}.1`, "allowed"]))),
  );
  const pin = { mode: "range", min: "1.0", max: "1.1" } as const;
  const [few = 0, many = 0] = catalogs.map((catalog) => {
    return fastestMs(() => {
      for (let times = 0; times < 100; times++) gateVersion(catalog, pin, "1.0.5");
    });
  });
  expect(many).toBeLessThan(few * 10);
});
