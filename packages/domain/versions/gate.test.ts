import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fastestMs } from "../../../tests/support/fastest.ts";
import { forAll } from "../../../tests/support/for-all.ts";
import { catalogOf } from "../../../tests/support/sample-facts.ts";
import { newestFirst, parseVersionRecord, patternKey, VersionCatalog, type VersionState } from "./catalog.ts";
import {
  canUseFrom,
  gateVersion,
  newestUsable,
  type VersionChecks,
  type VersionPin,
  versionChecks,
} from "./gate.ts";
import { parseVersion } from "./version.ts";

const from20To23 = catalogOf({
  "2.0.x": "allowed",
  "2.1.x": "allowed",
  "2.2.x": "deprecated",
  "2.3.x": "latest",
});
const from21Below24: VersionPin = { mode: "range", min: "2.1", max: "2.4" };

test.each<[submitted: string, withoutPin: boolean, withRange: boolean]>([
  ["1.9.9", false, false],
  ["2.0.99", true, false],
  ["2.1.0", true, true],
  ["2.2.50", true, true],
  ["2.3.99", true, true],
  ["2.4.0", false, false],
])(
  "in the example of specification 9.2, item 6, %s passes the product (%p) and the license (%p)",
  (submitted, withoutPin, withRange) => {
    expect(gateVersion(from20To23, null, submitted).versionValid).toBe(withoutPin);
    expect(gateVersion(from20To23, from21Below24, submitted).versionValid).toBe(withRange);
  },
);

const everything = catalogOf({ "1.x": "allowed", "2.x": "allowed", "3.x": "allowed" });
test.each<[min: string | null, max: string | null, submitted: string, allowed: boolean, why: string]>([
  ["2.1", "2.4", "2.1", true, "the minimum is included"],
  ["2.1", "2.4", "2.1.0-rc.1", false, "a pre-release of the minimum is below it"],
  ["2.1.0-beta", "2.4", "2.1.0-rc.1", true, "the minimum is an earlier pre-release"],
  ["2.1", "2.4", "2.4", false, "the maximum is excluded"],
  ["2.1", "2.4", "2.4.0-beta", false, "pre-releases of the maximum are excluded"],
  ["2.1", "2.4", "2.3.9.9", true, "the last version before the maximum is included"],
  ["2.1", "2.4.0-rc.1", "2.4.0-beta", true, "a pre-release maximum is taken literally"],
  ["2.1", "2.4.0-rc.1", "2.4.0-rc.1", false, "a pre-release maximum is excluded"],
  ["2.1", "2.4+build", "2.4.0-beta", false, "build metadata changes nothing"],
  [null, "2.4", "1.0", true, "there is no minimum"],
  ["2.1", null, "3.9", true, "there is no maximum"],
  ["2.4", "2.1", "2.2", false, "a reversed range is empty"],
  ["rubbish", "2.4", "2.2", false, "an unreadable minimum allows nothing"],
  ["2.1", "rubbish", "2.2", false, "an unreadable maximum allows nothing"],
  ["2.1", "2.x", "2.2", false, "a line is no bound"],
])("a range from %p below %p contains %s: %p, because %s", (min, max, submitted, allowed) => {
  expect(gateVersion(everything, { mode: "range", min, max }, submitted).versionValid).toBe(allowed);
});

describe("answers", () => {
  const catalog = catalogOf({
    "2.0.x": "allowed",
    "2.1.0": "deprecated",
    "2.2.x": "allowed",
    "2.2.4": "latest",
    "2.3.0": "blocked",
  });
  const pinned = (version: string): VersionPin => ({ mode: "pinned", version });
  const range = (min: string | null, max: string | null): VersionPin => ({ mode: "range", min, max });
  type Row = [why: string, VersionPin, submitted: string | null, version: string | null, boolean | null];
  test.each<Row>([
    ["an accepted version is named as submitted, trimmed", null, " v2.2.1+7 ", "v2.2.1+7", true],
    ["a deprecated version is accepted", null, "2.1", "2.1", true],
    ["a blocked version is refused and the newest is named", null, "2.3.0", "2.2.4", false],
    ["a missing version is refused", null, "9.9", "2.2.4", false],
    ["text that is no version is refused", null, "latest", "2.2.4", false],
    ["the empty string was submitted and is refused", null, "", "2.2.4", false],
    ["an omitted version is not judged", null, null, "2.2.4", null],
    ["the pinned version is named and accepted", pinned("2.1.0"), "v2.1", "2.1.0", true],
    ["another version than the pinned one is refused", pinned("2.1.0"), "2.2.4", "2.1.0", false],
    ["the pinned version is named when none was sent", pinned("2.1.0"), null, "2.1.0", null],
    ["a pin does not reopen a blocked version", pinned("2.3.0"), "2.3.0", "2.3.0", false],
    ["a pin does not include its pre-releases", pinned("2.0.0"), "2.0.0-rc", "2.0.0", false],
    ["an unreadable pin allows nothing and is not named", pinned("2.0.x"), "2.0.0", null, false],
    ["the newest inside the range is named", range("2.0", "2.2"), "2.2.4", "2.1.0", false],
    ["a line that reaches into the range is not named", range("2.0.5", "2.1"), null, null, null],
    ["nor is the line of a version below the minimum", range("2.2.5", null), null, null, null],
    ["a version below the minimum is not named", range("2.1.1", "2.2"), null, null, null],
    ["an unreadable range allows nothing", range("?", null), null, null, null],
  ])("%s", (_why, pin, submitted, version, versionValid) => {
    expect(gateVersion(catalog, pin, submitted)).toEqual({ version, versionValid });
  });

  test("a product without records names nothing", () => {
    expect(gateVersion(VersionCatalog.from([]), null, "1.0")).toEqual({ version: null, versionValid: false });
  });
});

describe("properties", () => {
  const number = fc.constantFrom("0", "1", "2");
  const numbers = fc.array(number, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("."));
  const prerelease = fc.tuple(numbers, fc.constantFrom("0", "a", "b.1")).map((pair) => pair.join("-"));
  const written = fc.oneof(
    { weight: 4, arbitrary: numbers },
    { weight: 2, arbitrary: prerelease },
    { weight: 1, arbitrary: fc.constantFrom("", "?", "x") },
  );
  const line = numbers.map((text) => `${text}.x`);
  const record = fc.oneof(written, line);
  const state = fc.constantFrom<VersionState>("allowed", "deprecated", "latest", "blocked");
  const records = fc.uniqueArray(fc.record({ version: record, state }), {
    // Two spellings of one version are not two versions.
    selector: ({ version }) => {
      const pattern = parseVersionRecord(version);
      return pattern === null ? version : patternKey(pattern);
    },
    maxLength: 12,
  });
  const catalog = records.map((all) => VersionCatalog.from(all));
  const bound = fc.option(written);
  const pin: fc.Arbitrary<VersionPin> = fc.oneof(
    fc.constant(null),
    fc.record({ mode: fc.constant<"pinned">("pinned"), version: written }),
    fc.record({ mode: fc.constant<"range">("range"), min: bound, max: bound }),
  );

  test("a pin can only narrow what the product allows", () =>
    forAll(3000, [catalog, pin, written], (records, license, submitted) => {
      if (gateVersion(records, license, submitted).versionValid) {
        expect(gateVersion(records, null, submitted).versionValid).toBe(true);
      }
    }));

  test("the version of the response can be parsed, and would be accepted unless it is the pinned one", () =>
    forAll(3000, [catalog, pin, fc.option(fc.oneof(written, line))], (records, license, submitted) => {
      const { version } = gateVersion(records, license, submitted);
      if (version === null) return;
      expect([version, parseVersion(version)]).not.toEqual([version, null]);
      if (license?.mode !== "pinned") expect(gateVersion(records, license, version).versionValid).toBe(true);
    }));

  test("only an omitted version is left unjudged", () =>
    forAll(100, [catalog, pin, fc.option(fc.string())], (records, license, submitted) => {
      expect(gateVersion(records, license, submitted).versionValid === null).toBe(submitted === null);
    }));

  test("of the records that would be the newest alone, the newest is found", () =>
    forAll(2_000, [records, bound, bound], (all, min, max) => {
      const named = (some: typeof all) =>
        newestUsable(VersionCatalog.from(some), { mode: "range", min, max });
      const alone = all.flatMap((one) => parseVersionRecord(named([one]) ?? "") ?? []);
      expect(named(all)).toBe(alone.sort(newestFirst)[0]?.text ?? null);
    }));
});

test("the newest version in a range takes hardly longer to find in a list that is a hundred times as long", () => {
  const pin = { mode: "range", min: "1.0", max: "1.1" } as const;
  const [few = 0, many = 0] = [50, 5_000].map((count) => {
    const versions = Array.from({ length: count }, (_, index) => [`9.${index}.1`, "allowed"]);
    const catalog = catalogOf(Object.fromEntries(versions));
    return fastestMs(() => {
      for (let times = 0; times < 100; times++) gateVersion(catalog, pin, "1.0.5");
    });
  });
  expect(many).toBeLessThan(few * 10);
});

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

test.each<[boolean, VersionChecks, plan: string, onDowngrade: VersionChecks, VersionChecks | null]>([
  [true, "enforce", "includes it", "enforce", "enforce"],
  [true, "report", "includes it", "enforce", "report"],
  [true, "enforce", "includes it", "report", "enforce"],
  [true, "enforce", "had it", "enforce", "enforce"],
  [true, "enforce", "had it", "report", "report"],
  [true, "report", "had it", "enforce", "report"],
  [true, "report", "had it", "report", "report"],
  [true, "enforce", "never had it", "enforce", null],
  [true, "report", "never had it", "report", null],
  [false, "enforce", "includes it", "enforce", null],
  [false, "enforce", "had it", "enforce", null],
])(
  "with the module on %p and set to %s, the plan that %s, and %s on downgrade, checks are %p",
  (enabled, enforcement, plan, onDowngrade, checks) => {
    const inPlan = plan === "includes it";
    const hadModule = plan !== "never had it";
    expect(versionChecks({ enabled, enforcement, inPlan, hadModule, onDowngrade })).toBe(checks);
  },
);
