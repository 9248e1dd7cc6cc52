import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { nowMs, sampleLicense, sampleProduct } from "../../../tests/support/sample-facts.ts";
import { decide } from "../validate/decide.ts";
import type { ProductFacts } from "../validate/facts.ts";
import { VersionCatalog } from "../versions/catalog.ts";
import type { VersionPin } from "../versions/gate.ts";
import {
  type IneffectiveReason,
  ineffective,
  type PastUse,
  type ReplayedLicense,
  replay,
  type ShadowChange,
  versionsWith,
} from "./replay.ts";

const sinceMs = nowMs - 1_000;
const records = [
  { version: "1.0.x", state: "allowed" },
  { version: "2.0.0", state: "latest" },
  { version: "0.9.0", state: "blocked" },
] as const;
const versions = { catalog: VersionCatalog.from(records), enforced: true };
const product: ProductFacts = { ...sampleProduct, versions };

const limit: ShadowChange = { type: "max_ips", max_ips: 1 };
const off: ShadowChange = { type: "registration", registration: "off" };
const version: ShadowChange = { type: "block_version", version: "2.x" };
const cidr: ShadowChange = { type: "block_ip", cidr: "203.0.113.0/24" };
test.each<[ShadowChange, Partial<ProductFacts>, IneffectiveReason | null]>([
  [limit, {}, null],
  [limit, { trackIp: false }, "ip_not_checked"],
  [limit, { registration: "off" }, "registration_already_off"],
  [limit, { registration: "first_only" }, "only_first_ip_registered"],
  [off, {}, null],
  [off, { registration: "first_only" }, null],
  [off, { registration: "off" }, "registration_already_off"],
  [off, { trackIp: false }, "ip_not_checked"],
  [version, {}, null],
  [version, { versions: null }, "versions_not_checked"],
  [version, { versions: { ...versions, enforced: false } }, "versions_reported_only"],
  [cidr, { trackIp: false, versions: null }, null],
  [{ type: "remove_version", version: "1.0.x" }, { versions: null }, "versions_not_checked"],
  [{ type: "check_versions" }, {}, "versions_already_checked"],
  [{ type: "check_versions" }, { versions: { ...versions, enforced: false } }, null],
  [{ type: "check_versions" }, { versions: null }, null],
  [{ type: "track_ips" }, { trackIp: true }, "ips_already_tracked"],
  [{ type: "track_ips" }, { trackIp: false }, null],
  [{ type: "enforce_expiry" }, { expiryEnforced: true }, "expiry_already_enforced"],
  [{ type: "enforce_expiry" }, { expiryEnforced: false }, null],
  [{ type: "disable" }, {}, null],
  [{ type: "disable" }, { status: "archived" }, "product_not_active"],
])("the reason why the change %j with %j refuses nothing is %p", (change, settings, reason) => {
  expect(ineffective(change, { ...product, ...settings })).toBe(reason);
});

describe("lower limits", () => {
  test("a lower limit keeps the IP addresses registered before, then those used first", () => {
    const before = { maxIps: 5, slotsBefore: 2, registeredAtMs: { a: sinceMs - 1, late: sinceMs + 30 } };
    const uses = [use("a", 10), use("third", 20), use("late", 30), use("third", 40, "1.0.0")];
    const refusedAt = (max_ips: number) =>
      refusedIps({ type: "max_ips", max_ips }, licenseWith(before, ...uses));
    const [third, late] = ["third ip_limit_reached", "late ip_limit_reached"];
    expect([refusedAt(3), refusedAt(1)]).toEqual([[late], [third, late, third]]);
  });

  test("a lower limit changes nothing for licenses without a limit, or with one that is not higher", () => {
    const uses = [use("a", 1), use("b", 2), use("c", 3)];
    for (const maxIps of [null, 1, 2])
      expect(refusedIps({ type: "max_ips", max_ips: 2 }, licenseWith({ maxIps }, ...uses))).toEqual([]);
    expect(refusedIps({ type: "max_ips", max_ips: 2 }, licenseWith({ maxIps: 3 }, ...uses))).toHaveLength(1);
  });

  test("a lower limit gives the same as deciding every single request in order", () => {
    const request = fc.record({ ip: fc.constantFrom("a", "b", "c", "d", "e"), atMs: fc.nat({ max: 30 }) });
    const known = fc.subarray(["a", "b", "x", "y"]);
    const requests = fc.array(request, { maxLength: 30 });
    forAll(100, [requests, known, fc.integer({ min: 1, max: 4 })], (requests, before, limit) => {
      const inOrder = requests.toSorted((one, other) => one.atMs - other.atMs);
      const slots = new Set(before);
      const expected = inOrder.filter(({ ip, atMs }) => {
        const ips = { max: limit, registered: slots.size };
        const caller = { blocked: false, registered: slots.has(ip), version: null };
        const { status, effect } = decide(product, { ...sampleLicense, ips }, caller, atMs);
        if (effect === "register_ip") slots.add(ip);
        return status !== "active";
      });
      const uses = [...Map.groupBy(inOrder, ({ ip }) => ip)].map(([ip, all]) => {
        return { ...use(ip, all[0]?.atMs ?? 0), requests: all.length };
      });
      const registeredAtMs = Object.fromEntries(before.map((ip) => [ip, sinceMs - 1]));
      const license = licenseWith({ maxIps: 9, slotsBefore: before.length, registeredAtMs }, ...uses);
      const refused = replay(asked({ type: "max_ips", max_ips: limit }), license);
      expect(refused.reduce((sum, { requests }) => sum + requests, 0)).toBe(expected.length);
      expect(new Set(refused.map(({ ip }) => ip))).toEqual(new Set(expected.map(({ ip }) => ip)));
    });
  });
});

test("without automatic registration, only IP addresses registered before their first request pass", () => {
  const registeredAtMs = { before: sinceMs - 1, by_hand: sinceMs + 5, automatically: sinceMs + 20 };
  const automatic = [use("automatically", 20), use("automatically", 50, "2.0.0")];
  const uses = [use("before", 1), use("by_hand", 10), ...automatic, use("removed_since", 30)];
  const refused = ["automatically", "automatically", "removed_since"].map((ip) => `${ip} ip_not_registered`);
  expect(refusedIps(off, licenseWith({ slotsBefore: 1, registeredAtMs }, ...uses))).toEqual(refused);
  // A license without an IP limit is not concerned.
  expect(refusedIps(off, licenseWith({ maxIps: null }, ...uses))).toEqual([]);
});

test("requests of a blocked version are refused, unless another record or no version decides", () => {
  const uses = ["1.0.4", "2.0.0", null, "0.9.0", "v2"].map((version, at) => use("a", at + 1, version));
  const versions = (version: string) =>
    replay(asked({ type: "block_version", version }), licenseWith({}, ...uses)).map(
      (refused) => `${refused.version} ${refused.status}`,
    );
  expect(versions("2.0")).toEqual(["2.0.0 version_not_allowed", "v2 version_not_allowed"]);
  expect(versions("1.x")).toEqual([]);
  expect(versions("1.0.x")).toEqual(["1.0.4 version_not_allowed"]);
  expect(versions("0.9.0")).toEqual([]);
});

test("a removed version is refused unless a line allows it, and versions that were refused before are not counted", () => {
  const uses = ["2.0.0", "1.0.4", "0.9.0", "7", null].map((version) => use("a", 1, version));
  const refused = (version: string) =>
    replay(asked({ type: "remove_version", version }), licenseWith({}, ...uses)).map((one) => one.version);
  expect(refused("2.0.0")).toEqual(["2.0.0"]);
  expect(refused("1.0.x")).toEqual(["1.0.4"]);
  expect(refused("0.9.0")).toEqual([]);
});

test("checking versions refuses those that are not allowed by the product or the license", () => {
  const uses = ["2.0.0", "1.0.4", "0.9.0", "7", null].map((version) => use("a", 1, version));
  const refused = (pin: VersionPin) =>
    replay(
      { ...asked({ type: "check_versions" }), product: { ...product, versions: null } },
      licenseWith({ pin }, ...uses),
    ).map(({ version }) => version);
  expect(refused(null)).toEqual(["0.9.0", "7"]);
  expect(refused({ mode: "pinned", version: "1.0.4" })).toEqual(["2.0.0", "0.9.0", "7"]);
});

test("enforced expiry refuses what was used after it, and nothing of licenses that do not expire", () => {
  const change: ShadowChange = { type: "enforce_expiry" };
  const uses = [use("before", 9), use("after", 10)];
  expect(refusedIps(change, licenseWith({ expiresAtMs: sinceMs + 10 }, ...uses))).toEqual(["after expired"]);
  expect(refusedIps(change, licenseWith({}, ...uses))).toEqual([]);
});

test("a disabled product refuses every use", () => {
  const license = licenseWith({ maxIps: null }, use("a", 1), use("b", 2));
  expect(refusedIps({ type: "disable" }, license)).toEqual(["a product_disabled", "b product_disabled"]);
});

test("counted IP addresses take the slots of the license, as the product registers them", () => {
  const license = licenseWith({ maxIps: 2 }, use("a", 1), use("b", 2), use("c", 3));
  const refused = (registration: ProductFacts["registration"], of = license) =>
    replay(
      { ...asked({ type: "track_ips" }), product: { ...product, trackIp: false, registration } },
      of,
    ).map(({ ip, status }) => `${ip} ${status}`);
  const notRegistered = ["a", "b", "c"].map((ip) => `${ip} ip_not_registered`);
  expect(refused("until_limit")).toEqual(["c ip_limit_reached"]);
  expect(refused("first_only")).toEqual(["b ip_not_registered", "c ip_not_registered"]);
  expect(refused("off")).toEqual(notRegistered);
  expect(refused("until_limit", licenseWith({ maxIps: null }, ...license.uses))).toEqual([]);
});

test("IP addresses in a blocked network are refused, whether registered or not", () => {
  const uses = ["203.0.113.7", "203.0.114.7", "2001:db8:1::/64", "2001:db8:1:1::5"].map((ip) => use(ip, 1));
  const license = licenseWith({ maxIps: null }, ...uses);
  const blocked = (cidr: string) => refusedIps({ type: "block_ip", cidr }, license);
  expect(blocked("203.0.113.0/24")).toEqual(["203.0.113.7 ip_blocked"]);
  expect(blocked("2001:db8:1::/48")).toEqual(["2001:db8:1::/64 ip_blocked", "2001:db8:1:1::5 ip_blocked"]);
  // The log does not say which address of the /64 it was.
  expect(blocked("2001:db8:1::1/128")).toEqual([]);
});

test("only the changed rule refuses requests", () => {
  const unserved = { deleted: true, organizationSuspended: true, billing: "suspended" } as const;
  const refusing: ProductFacts = { ...product, ...unserved, status: "disabled" };
  const license = licenseWith({ maxIps: 3 }, use("203.0.113.7", 1, "0.9.0"));
  const changes: ShadowChange[] = [
    { type: "max_ips", max_ips: 1 },
    { type: "block_version", version: "7" },
    { type: "block_ip", cidr: "192.0.2.0/24" },
  ];
  for (const change of changes) expect(replay({ ...asked(change), product: refusing }, license)).toEqual([]);
});

function asked(change: ShadowChange) {
  return { change, product, changedVersions: versionsWith(change, records), sinceMs };
}

function refusedIps(change: ShadowChange, license: ReplayedLicense): string[] {
  return replay(asked(change), license).map(({ ip, status }) => `${ip} ${status}`);
}

/** Times are milliseconds after the start of the replayed time. */
function use(ip: string, atMs: number, version: string | null = null): PastUse {
  return { ip, version, requests: 1, firstAtMs: sinceMs + atMs, lastAtMs: sinceMs + atMs };
}

interface Before {
  readonly maxIps?: number | null;
  readonly slotsBefore?: number;
  readonly registeredAtMs?: Readonly<Record<string, number>>;
  readonly expiresAtMs?: number | null;
  readonly pin?: VersionPin;
}

function licenseWith(before: Before, ...uses: PastUse[]): ReplayedLicense {
  const { maxIps = 3, slotsBefore = 0, registeredAtMs = {}, expiresAtMs = null, pin = null } = before;
  const registrations = new Map(Object.entries(registeredAtMs));
  return { maxIps, slotsBefore, registeredAtMs: registrations, expiresAtMs, pin, uses };
}
