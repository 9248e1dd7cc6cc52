import { describe, expect, test } from "bun:test";
import { listed } from "../../../tests/support/listed.ts";
import { catalogOf } from "../../../tests/support/sample-facts.ts";
import { parseVersionRecord, type VersionState } from "./catalog.ts";
import { parseVersion, versionKey } from "./version.ts";

test.each<[text: string, read: string | null]>([
  ["2.1.3", "exact 2.1.3.0"],
  ["v2.1.3-beta.1", "exact 2.1.3.0-beta.1"],
  ["2.1.x", "line 2 of 2.1.0.0-0"],
  ["2.1.*", "line 2 of 2.1.0.0-0"],
  ["2.x", "line 1 of 2.0.0.0-0"],
  ["2.x.x", "line 1 of 2.0.0.0-0"],
  ["v2.1.3.x ", "line 3 of 2.1.3.0-0"],
])("parseVersionRecord reads %p as %p", (text, read) => expect(shown(parseVersionRecord(text))).toBe(read));

test.each([
  ...listed("x * 2.x.1 2.1.3.4.x 2.1.x.x.x 2.1.x-beta 2.1-beta.* 2.1+5.* 2..x 2.v1.x vv2.x"),
  ...["", `2.${" ".repeat(64)}x`],
])("parseVersionRecord refuses %p", (text) => expect(parseVersionRecord(text)).toBeNull());

function shown(pattern: ReturnType<typeof parseVersionRecord>): string | null {
  if (pattern === null) return null;
  if (pattern.kind === "exact") return `exact ${versionKey(pattern.version)}`;
  return `line ${pattern.depth} of ${versionKey(pattern.floor)}`;
}

describe("stateOf", () => {
  const catalog = catalogOf({
    "2.x": "deprecated",
    "2.1.x": "allowed",
    "2.1.3": "blocked",
    "2.1.3.x": "latest",
    "2.2.x": "blocked",
    "2.2.5": "allowed",
    "3.0.0-rc.1": "allowed",
    nonsense: "allowed",
  });
  test.each<[version: string, state: VersionState | "missing", why: string]>([
    ["2.0.9", "deprecated", "only the short line matches"],
    ["2.1.9", "allowed", "a longer line wins"],
    ["2.1.3", "blocked", "an exact record wins over every line"],
    ["v2.1.3.0+build", "blocked", "an exact record is found in any spelling"],
    ["2.1.3.7", "latest", "the longest line wins"],
    ["2.1.3-beta", "latest", "an exact release does not include its pre-releases"],
    ["2.1.0-alpha", "allowed", "a line includes pre-releases"],
    ["2.2.6", "blocked", "a line can block its versions"],
    ["2.2.5", "allowed", "an exact record precedes a blocked line"],
    ["3.0.0-rc.1", "allowed", "an exact pre-release matches"],
    ["3.0.0", "missing", "a pre-release record does not include its release"],
    ["20.0", "missing", "2.x is no text prefix"],
  ])("%s is %s because %s", (text, state) => {
    const version = parseVersion(text);
    expect(version === null ? null : catalog.stateOf(version)).toBe(state);
  });

  test("of two records for one version, the blocking one applies, in either order", () => {
    const one = parseVersionRecord("2.1");
    if (one?.kind !== "exact") throw new Error("2.1 is exact");
    for (const states of [
      { "2.1": "allowed", "2.1.0": "blocked" },
      { "2.1": "blocked", "2.1.0": "allowed" },
    ] as const)
      expect(catalogOf(states).stateOf(one.version)).toBe("blocked");
  });
});

describe("newest", () => {
  test.each<[records: Record<string, VersionState>, newest: string | null, why: string]>([
    [{}, null, "there is nothing to name"],
    [{ "1.9": "latest", "1.10": "allowed" }, "1.10", "numbers count, not text or state"],
    [{ "2.0.0-rc.1": "allowed", "2.0.0": "allowed" }, "2.0.0", "a release follows its pre-releases"],
    [{ "2.0": "blocked", "1.0": "deprecated" }, "1.0", "blocked records are skipped"],
    [{ "2.0": "blocked", "2.0.0": "allowed" }, null, "it is blocked in one spelling"],
    [{ "2.1.x": "allowed" }, null, "a line is no version"],
    [{ "2.x": "allowed", "1.9.9": "allowed" }, "1.9.9", "only a version is named, even if a line is newer"],
    [{ " v2.1 ": "allowed" }, "v2.1", "it is named as written, trimmed"],
  ])("the newest version of %j is %p because %s", (records, newest) => {
    expect(catalogOf(records).newestVersion(null, () => true)).toBe(newest);
  });

  test.each<[records: Record<string, VersionState>, newest: string | null, why: string]>([
    [{ "2.1.x": "allowed", "2.1.3": "allowed" }, "2.1.3", "a version inside a line precedes it"],
    [{ "2.1.x": "allowed", "2.1.0-alpha": "allowed" }, "2.1.0-alpha", "even its first pre-release does"],
    [{ "2.x": "allowed", "2.0.x": "allowed" }, "2.0.x", "a longer line precedes a shorter one"],
    [{ "2.x": "allowed", "1.9.9": "allowed" }, "2.x", "a line precedes every older version"],
  ])("the newest record of %j is %p because %s", (records, newest) => {
    expect(catalogOf(records).newestRecord(null, () => true)).toBe(newest);
  });

  test("the newest version is the newest that the caller's rule allows", () => {
    const catalog = catalogOf({ "1.0": "allowed", "2.0": "allowed", "3.0": "allowed" });
    for (const newest of [catalog.newestVersion, catalog.newestRecord]) {
      expect(newest.call(catalog, null, ({ parts }) => parts[0] < 3)).toBe("2.0");
      expect(newest.call(catalog, null, () => false)).toBeNull();
    }
  });
});
