import { describe, expect, test } from "bun:test";
import { matchForm } from "../licenses/key.ts";
import { validateStatuses } from "../validate/status.ts";
import { sandboxProduct, sandboxSigningKey, sandboxVerdict } from "./facts.ts";
import { sandboxLicense, sandboxLicenses, sandboxStatuses } from "./license-keys.ts";

const nowMs = Date.UTC(2030, 5, 15, 12, 34, 56);
const product = sandboxProduct({
  productId: "product",
  productName: "Product",
  organizationId: "organization",
  organizationName: "Organization",
  ipv6Prefix: 64,
  custom: null,
});
const decided = sandboxLicenses.filter(({ httpStatus }) => httpStatus === 200);

describe("fixed license keys", () => {
  test("the sandbox has a license key for every outcome, named after it", () => {
    const named = sandboxLicenses.filter((one) => one.variant === null).map((one) => one.licenseKey);
    const nameOf = (status: string) => `SANDBOX-${status.toUpperCase().replaceAll("_", "-")}`;
    expect(named.toSorted()).toEqual(sandboxStatuses.map(nameOf).toSorted());
    expect(sandboxStatuses).toEqual([...validateStatuses, "unavailable"]);
  });

  test("the sandbox's license keys are found in the form in which keys are compared", () => {
    for (const one of sandboxLicenses)
      expect(sandboxLicense(matchForm(` ${one.licenseKey.toLowerCase()} `))).toBe(one);
    for (const other of ["SANDBOX-OTHER", null]) expect(sandboxLicense(other)).toBeNull();
  });

  test.each(decided)("$licenseKey has its status, whatever version was sent, all day", (one) => {
    for (const version of [null, "2.1.0", "0.9.0", "9.9.9-beta", "not a version", ""]) {
      const answer = sandboxVerdict(product, one, version, nowMs);
      expect<string>(answer.verdict.status).toBe(one.status);
      expect(sandboxVerdict(product, one, version, nowMs + 3_600_000)).toEqual(answer);
    }
  });

  test("any other key is not found in the sandbox", () => {
    const { license, verdict } = sandboxVerdict(product, null, "2.1.0", nowMs);
    expect(license).toBeNull();
    expect(verdict.status).toBe("license_not_found");
  });
});

describe("responses", () => {
  const verdictOf = (key: string, version: string | null = "1.2.3") =>
    sandboxVerdict(product, sandboxLicense(key), version, nowMs).verdict;
  const valid = {
    status: "active",
    expiresAtMs: Date.UTC(2030, 6, 15),
    ipRegistered: false,
    ipCount: 1,
    maxIps: 3,
    version: "1.2.3",
    versionValid: true,
  } as const;

  test.each<[key: string, members: object]>([
    ["SANDBOX-ACTIVE", {}],
    ["SANDBOX-ACTIVE-NEW-IP", { ipRegistered: true, ipCount: 2 }],
    ["SANDBOX-ACTIVE-ANY-IP", { ipRegistered: null, ipCount: null, maxIps: null }],
    ["SANDBOX-ACTIVE-LIFETIME", { expiresAtMs: null }],
    ["SANDBOX-ACTIVE-OLD-VERSION", { version: "2.1.0", versionValid: false }],
    ["SANDBOX-EXPIRED", { status: "expired", expiresAtMs: Date.UTC(2030, 4, 16), ipRegistered: null }],
    ["SANDBOX-IP-LIMIT-REACHED", { status: "ip_limit_reached", ipCount: 3 }],
    ["SANDBOX-IP-NOT-REGISTERED", { status: "ip_not_registered" }],
    ["SANDBOX-VERSION-NOT-ALLOWED", { status: "version_not_allowed", version: "2.1.0", versionValid: false }],
  ])("%s results in %j", (key, members) => expect(verdictOf(key)).toMatchObject({ ...valid, ...members }));

  test("the response to a request without a version names the newest", () =>
    expect(verdictOf("SANDBOX-ACTIVE", null)).toMatchObject({ version: "2.1.0", versionValid: null }));

  test("the response for a product that refuses every request names no license", () =>
    expect(sandboxVerdict(product, sandboxLicense("SANDBOX-ORG-SUSPENDED"), null, nowMs).license).toBeNull());
});

test("the signing key of the sandbox depends on the whole test API key", () => {
  const one = sandboxSigningKey({ publicId: "abc", key: "cskt_abc_one" });
  expect(one.keyId).toBe("sandbox_abc");
  expect(one.secret.length).toBe(32);
  expect(sandboxSigningKey({ publicId: "abc", key: "cskt_abc_one" })).toEqual(one);
  expect(sandboxSigningKey({ publicId: "abc", key: "cskt_abc_two" }).secret).not.toEqual(one.secret);
});
