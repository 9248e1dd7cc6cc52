import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fastestMs } from "../../../tests/support/fastest.ts";
import { forAll } from "../../../tests/support/for-all.ts";
import { listed } from "../../../tests/support/listed.ts";
import { parseVersionRecord } from "./catalog.ts";
import { compareVersions, parseVersion, type Version, versionKey } from "./version.ts";

describe("parseVersion", () => {
  test.each<[text: string, key: string]>([
    ["2", "2.0.0.0"],
    ["2.1.3.4", "2.1.3.4"],
    ["v2.1", "2.1.0.0"],
    ["  2.1.3\t", "2.1.3.0"],
    ["2026.03.01", "2026.3.1.0"],
    ["2.1.3-beta.1", "2.1.3.0-beta.1"],
    ["2.1.3-0a.-.--x", "2.1.3.0-0a.-.--x"],
    ["2.1.3+build.007", "2.1.3.0"],
    ["2.1.3-beta+exp.sha-5114f85", "2.1.3.0-beta"],
    ["1.0.0-20260301123045", "1.0.0.0-20260301123045"],
    ["999999999999999", "999999999999999.0.0.0"],
  ])("the version %p is read as %s", (text, key) => {
    const version = parseVersion(text);
    expect(version === null ? null : versionKey(version)).toBe(key);
  });

  test.each([
    ...listed("v vv1 . 1. .1 1..2 1.2.3.4.5 1.2.x x latest 1,2 -1 1.-1 1e3 0x10 ١.٢ 1000000000000000"),
    ...listed("1.2.3beta 1.2.3- 1.2.3-. 1.2.3-a..b 1.2.3-01 1.2.3-a_b 1.2.3-é 1.0-1000000000000000"),
    ...listed("1.2.3+ 1.2.3+a..b 1.2.3+a+b 1.2.3-+a"),
    ...["", " ", "1.2.3 beta", "1 .2", "1".repeat(65), `1${" ".repeat(64)}`, `1.0-${"a".repeat(64)}`],
  ])("%p is no version", (text) => expect(parseVersion(text)).toBeNull());

  test("hostile text is decided within 5 ms", () => {
    const unit = fc.constantFrom("0", "1", ".", "-", "+", "v", "x", "a", " ", "\n", "\u{1f4a5}");
    const hostile = [
      ...["1.".repeat(32), "-".repeat(64), "1-".repeat(32), "0-0.".repeat(16), "+".repeat(64)],
      ...["1".repeat(1_000_000), " ".repeat(1_000_000)],
      ...[`1-${"a.".repeat(31)}!`, `1-${"a-".repeat(30)}.`, `1+${"0.".repeat(31)}`],
    ];
    forAll(2000, [fc.oneof(fc.constantFrom(...hostile), fc.string({ unit, maxLength: 64 }))], (text) => {
      for (const parse of [parseVersion, parseVersionRecord])
        expect(fastestMs(() => void parse(text), 5, 3)).toBeLessThan(5);
    });
  });
});

describe("compareVersions", () => {
  const ascending = [
    ...listed("0 0.0.0.1 0.1 1.0.0-0 1.0.0-9 1.0.0-10 1.0.0-- 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta"),
    ...listed("1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.0.1-a 1.0.0.1 1.0.1 1.2 1.10 2 10"),
  ];

  test("versions are ordered by SemVer precedence, with a fourth part", () => {
    const shuffled = ascending.toReversed().sort((a, b) => compareVersions(read(a), read(b)));
    expect(shuffled).toEqual(ascending);
    for (const [index, text] of ascending.slice(1).entries())
      expect(compareVersions(read(ascending[index] ?? ""), read(text))).toBe(-1);
  });

  const equal: [string, string][] = [
    ["2", "v2.0.0.0"],
    ["2.1", "2.1.0"],
    ["2.1.0+a", "2.1+b"],
    ["02.01", "2.1"],
    ["2-rc.1", "2.0.0-rc.1+x"],
  ];

  test.each(equal)("%s and %s are the same version", (a, b) => {
    expect(compareVersions(read(a), read(b))).toBe(0);
    expect(versionKey(read(a))).toBe(versionKey(read(b)));
  });

  test("the order of versions is reflexive, antisymmetric and transitive", () =>
    forAll(2000, [anyVersion, anyVersion, anyVersion], (a, b, c) => {
      expect(compareVersions(a, a)).toBe(0);
      expect(compareVersions(a, b) + compareVersions(b, a)).toBe(0);
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) {
        expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
      }
    }));

  test("versions compare as equal exactly when their keys are", () =>
    forAll(2000, [anyVersion, anyVersion], (a, b) => {
      expect(compareVersions(a, b) === 0).toBe(versionKey(a) === versionKey(b));
    }));

  test("the key of a version is read back as the same version", () => {
    fc.assert(fc.property(anyVersion, (version) => expect(read(versionKey(version))).toEqual(version)));
  });
});

const part = fc.constantFrom("0", "1", "2", "10");
const identifier = fc.constantFrom("0", "1", "2", "10", "a", "A", "b", "-", "1a");
const anyVersion = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.array(identifier, { maxLength: 3 }))
  .map(([parts, prerelease]) =>
    read(parts.join(".") + (prerelease.length === 0 ? "" : `-${prerelease.join(".")}`)),
  );

function read(text: string): Version {
  const version = parseVersion(text);
  if (version === null) throw new Error(`${text} is no version`);
  return version;
}
