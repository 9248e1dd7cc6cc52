import { describe, expect, test } from "bun:test";
import type { VersionPin } from "../versions/gate.ts";
import { decide } from "./decide.ts";
import type { BillingState, CallerFacts, LicenseFacts, ProductFacts } from "./facts.ts";
import { nowMs, sampleCaller, sampleLicense, sampleProduct, tomorrowMs } from "./sample-facts.ts";
import type { Outcome } from "./status.ts";

describe("the members other than the status (specification 2.3)", () => {
  const noIps = { ipRegistered: null, ipCount: null, maxIps: null };
  const untold = { expiresAtMs: null, ...noIps, version: null, versionValid: null };
  const known = { expiresAtMs: tomorrowMs, ipCount: 1, maxIps: 3, version: "2.0.0", versionValid: true };
  const full = { ...sampleLicense, ips: { max: 3, registered: 3 } };
  const elsewhere = { caller: { registered: false } };
  const unchecked = { ...known, ipRegistered: null };
  const unregisteredIp = { ...known, ipRegistered: false };
  type Change = {
    product?: Partial<ProductFacts>;
    license?: LicenseFacts | null;
    caller?: Partial<CallerFacts>;
  };
  test.each<[Outcome, Change, members: object, atMs?: number]>([
    ["product_not_found", { product: { deleted: true } }, untold],
    ["org_suspended", { product: { organizationSuspended: true } }, untold],
    ["billing_suspended", { product: { billing: "suspended" } }, untold],
    ["product_archived", { product: { status: "archived" } }, untold],
    ["product_disabled", { product: { status: "disabled" } }, untold],
    ["license_not_found", { license: null }, untold],
    ["revoked", { license: { ...sampleLicense, revoked: true } }, unchecked],
    ["expired", {}, unchecked, tomorrowMs],
    ["ip_blocked", { caller: { blocked: true } }, unregisteredIp],
    ["ip_not_registered", { product: { registration: "off" }, ...elsewhere }, unregisteredIp],
    ["ip_limit_reached", { license: full, ...elsewhere }, { ...unregisteredIp, ipCount: 3 }],
    ["version_not_allowed", { caller: { version: "0.9.0" } }, { ...unregisteredIp, versionValid: false }],
    ["active", {}, unregisteredIp],
    [
      "active",
      { license: { ...sampleLicense, expiresAtMs: null } },
      { ...unregisteredIp, expiresAtMs: null },
    ],
    ["active", { product: { versions: null } }, { ...unregisteredIp, version: null, versionValid: null }],
  ])("%s", (status, { product = {}, license = sampleLicense, caller = {} }, members, atMs = nowMs) => {
    const verdict = decide({ ...sampleProduct, ...product }, license, { ...sampleCaller, ...caller }, atMs);
    expect<object>(verdict).toEqual({ status, ...members, effect: "none", firstUse: false });
  });
});

const hourMs = 3_600_000;
const unused = { ...sampleLicense, expiresAtMs: null, unused: { termMs: hourMs } };
const withoutTerm = { ...sampleLicense, unused: { termMs: null } };
test.each([
  ["starts the term, which the response already shows", unused, false, "active", nowMs + hourMs],
  ["is no use when it is refused: the term waits", unused, true, "ip_blocked", null],
  ["without a term leaves the expiry as it is", withoutTerm, false, "active", tomorrowMs],
] as const)("the first use %s", (_, license, blocked, status, expiresAtMs) => {
  const verdict = decide(sampleProduct, license, { ...sampleCaller, blocked }, nowMs);
  expect(verdict).toMatchObject({ status, firstUse: status === "active", expiresAtMs });
});

test.each<[why: string, expiresAtMs: number | null, enforced: boolean, status: Outcome]>([
  ["a moment before it expires", nowMs + 1, true, "active"],
  ["at the moment it expires", nowMs, true, "expired"],
  ["after it expired", nowMs - 1, true, "expired"],
  ["a lifetime license", null, true, "active"],
  ["expired long ago, not enforced", 0, false, "active"],
])("expiry: %s", (_why, expiresAtMs, expiryEnforced, status) => {
  const license = { ...sampleLicense, expiresAtMs };
  const verdict = decide({ ...sampleProduct, expiryEnforced }, license, sampleCaller, nowMs);
  expect(verdict).toMatchObject({ status, expiresAtMs });
});

type Row = [string | null, below: string | null, Outcome, versionValid: boolean | null, named: string];
test.each<Row>([
  ["2.0.0", null, "active", true, "2.0.0"],
  ["1.0.7", null, "active", true, "1.0.7"],
  ["0.9.0", null, "version_not_allowed", false, "2.0.0"],
  ["7.0.0", null, "version_not_allowed", false, "2.0.0"],
  ["rubbish", null, "version_not_allowed", false, "2.0.0"],
  ["2.0.0", "2.0", "version_not_allowed", false, "1.0.x"],
  ["1.0.7", "2.0", "active", true, "1.0.7"],
  [null, "2.0", "active", null, "1.0.x"],
  [null, null, "active", null, "2.0.0"],
])(
  "version enforcement: %p on a license below %p: %s when enforced, active when only reported",
  (version, below, enforced, versionValid, expected) => {
    const caller = { ...sampleCaller, version };
    const pin: VersionPin = below === null ? null : { mode: "range", min: null, max: below };
    const license = { ...sampleLicense, pin };
    const reporting = sampleProduct.versions && { ...sampleProduct.versions, enforced: false };
    const withVersions = (versions: ProductFacts["versions"]) =>
      decide({ ...sampleProduct, versions }, license, caller, nowMs);
    const members = { version: expected, versionValid };
    expect(withVersions(sampleProduct.versions)).toMatchObject({ status: enforced, ...members });
    expect(withVersions(reporting)).toMatchObject({ status: "active", ...members });
    expect(withVersions(null).status).toBe("active");
  },
);

test.each<[BillingState, Outcome]>([
  ["active", "active"],
  ["grace", "active"],
  ["suspended", "billing_suspended"],
  ["cancelled", "active"],
])("billing %s is answered with %s", (billing, status) => {
  expect(decide({ ...sampleProduct, billing }, sampleLicense, sampleCaller, nowMs).status).toBe(status);
});
