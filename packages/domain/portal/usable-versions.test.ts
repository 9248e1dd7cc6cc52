import { describe, expect, test } from "bun:test";

import type { VersionPin } from "../versions/gate.ts";
import { catalogOf } from "../versions/sample-catalog.ts";
import { canUseFrom, newestUsable } from "./usable-versions.ts";

const catalog = catalogOf({
  "1.0.0": "deprecated",
  "2.x": "allowed",
  "2.3.0": "latest",
  "2.9.0": "blocked",
  "3.0.0": "blocked",
});

const pinned = (version: string): VersionPin => ({ mode: "pinned", version });
const range = (min: string | null, max: string | null): VersionPin => ({ mode: "range", min, max });

test.each<[name: string, pin: VersionPin, newest: string | null]>([
  ["without a pin", null, "2.3.0"],
  ["pinned to an allowed version", pinned("2.3.0"), "2.3.0"],
  ["pinned to a version of an allowed line", pinned("2.1.7"), "2.1.7"],
  ["pinned to a blocked version", pinned("3.0.0"), null],
  ["pinned to an unknown version", pinned("4.0.0"), null],
  ["pinned to nonsense", pinned("nonsense"), null],
  ["with a range below the newest", range(null, "2.0"), "1.0.0"],
  ["with a range that only a line reaches", range("2.4", "2.6"), "2.x"],
  ["with a range without versions", range("3.1", null), null],
])("the newest version for a license %s (%j) is %p", (_, pin, newest) =>
  expect(newestUsable(catalog, pin)).toBe(newest),
);

describe("usable versions", () => {
  test.each<[pin: VersionPin, version: string, can: boolean]>([
    [null, "1.0.0", true],
    [null, "2.3.0", true],
    // The line 2.x contains it, although the newest listed version is older.
    [null, "2.5.0", true],
    [null, "3.0.0", false],
    [null, "3.1.0", false],
    [null, "nonsense", false],
    [pinned("2.3.0"), "2.3.0", true],
    [pinned("2.3.0"), "2.0.0", true],
    [pinned("2.3.0"), "2.3.1", false],
    [pinned("3.0.0"), "1.0.0", false],
    [range("1.0", "2.2"), "2.1.0", true],
    // The line contains it, but the range ends before it.
    [range("1.0", "2.2"), "2.5.0", false],
    [range("1.0", "2.2"), "0.5.0", true],
    [range("2.4", null), "2.0.0", true],
    [range("3.0", null), "1.0.0", false],
    [range("nonsense", null), "1.0.0", false],
  ])("%j allows %s or newer: %p", (pin, version, can) => expect(canUseFrom(catalog, pin, version)).toBe(can));

  test("a license can use no version of an empty list", () =>
    expect(canUseFrom(catalogOf({}), null, "0.0.1")).toBe(false));
});
