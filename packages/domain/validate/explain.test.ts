import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import {
  catalogOf,
  license,
  nowMs,
  product,
  sampleLicense,
  sampleProduct,
  tomorrowMs,
  version,
} from "../../../tests/support/sample-facts.ts";
import { dayMs } from "../dates/lengths.ts";
import { quotaDay } from "../quota/day.ts";
import { decide, type RuleName, ruleNames } from "./decide.ts";
import type { BlockDetails, ExplainedIp, ExplainedRequest } from "./explain.ts";
import { callerFacts, explain } from "./explain.ts";
import { type ExplainReason, explainReasons } from "./explain-reasons.ts";
import type { IpRegistration, LicenseFacts, ProductFacts } from "./facts.ts";

const block = {
  cidr: "203.0.113.0/24",
  level: "organization",
  note: "Reseller",
  sinceMs: nowMs - dayMs,
  untilMs: null,
} as const satisfies BlockDetails;
const passingIp: ExplainedIp = { text: "203.0.113.7", block: null, registered: true };
const passing: ExplainedRequest = {
  product: sampleProduct,
  license: sampleLicense,
  ip: passingIp,
  version: "2.0.0",
  atMs: nowMs,
  admission: { apiKeys: ["csk_abcdefgh"], dailyLimit: 100, usedThatDay: 3 },
  details: { suspendedAtMs: null, revokedAtMs: null, revokedReason: null, registeredIps: ["203.0.113.7"] },
};

const withAdmission = (change: Partial<ExplainedRequest["admission"]>) => ({
  admission: { ...passing.admission, ...change },
});
const withDetails = (change: Partial<ExplainedRequest["details"]>) => ({
  details: { ...passing.details, ...change },
});
const withProduct = (change: Partial<ProductFacts>) => ({ product: { ...sampleProduct, ...change } });
const withLicense = (change: Partial<LicenseFacts>) => ({ license: { ...sampleLicense, ...change } });
const blockedBy = (block: BlockDetails) => ({ ip: { ...passingIp, block } });

const anyIp: fc.Arbitrary<ExplainedIp> = fc.record({
  text: fc.constant("203.0.113.7"),
  block: fc.option(fc.constantFrom<BlockDetails>(block, { level: "platform" })),
  registered: fc.boolean(),
});
const anyRequest: fc.Arbitrary<ExplainedRequest> = fc
  .record({
    product,
    license: fc.option(license, { freq: 9 }),
    ip: fc.option(anyIp),
    version: fc.option(version),
    atMs: fc.integer({ min: nowMs - 10, max: nowMs + 30 }),
  })
  .map((request) => ({ ...passing, ...request }));

describe("explanations", () => {
  test("for any facts, an explanation has the status of the decision, and of its first refusing rule", () => {
    const seen = new Set<string>();
    forAll(5_000, [anyRequest], (request) => {
      const { status, valid, rules } = explain(request);
      const decided = decide(request.product, request.license, callerFacts(request), request.atMs);
      expect<string>(status).toBe(decided.status);
      expect(valid).toBe(decided.status === "active");
      const refusing = rules.find(({ passed }) => passed === false);
      expect<string>(refusing?.rule ?? "active").toBe(decided.status);
      seen.add(status);
    });
    expect([...ruleNames.slice(2), "active"].filter((status) => !seen.has(status))).toEqual([]);
  });

  test("rules that are checked before the decision refuse before it", () => {
    const used = { ...passing.admission, usedThatDay: 100 };
    forAll(100, [anyRequest], (request) => {
      expect(explain({ ...request, admission: used }).status).toBe("rate_limit_exceeded");
      const without = explain({ ...request, admission: { ...used, apiKeys: [] } });
      expect(without.status).toBe("invalid_api_key");
      expect(without.rules.filter(({ passed }) => passed === false).length).toBeGreaterThan(1);
    });
  });

  test("every rule is listed once, in order of precedence, with a sentence whose facts are all filled in", () =>
    forAll(1_000, [anyRequest], (request) => {
      const { rules } = explain(request);
      expect(rules.map(({ rule }) => rule)).toEqual([...ruleNames]);
      for (const { message } of rules) expect(message).toMatch(/^[^{}]+\.$/);
    }));

  test("without an IP address, no rule about it refuses or passes", () =>
    forAll(100, [anyRequest], (request) => {
      const about = explain({ ...request, ip: null }).rules.filter(({ rule }) => rule.startsWith("ip_"));
      expect(about.map(({ passed }) => passed)).toEqual([null, null, null]);
    }));
});

describe("reasons", () => {
  const full = withLicense({ ips: { max: 3, registered: 3 } });
  const unregistered = { ip: { ...passingIp, registered: false } };
  const unserved = withProduct({ organizationSuspended: true });
  const suspended = { ...unserved, ...withDetails({ suspendedAtMs: nowMs }) };
  const refund = withDetails({ revokedAtMs: nowMs, revokedReason: "Refund" });
  const refunded = { ...withLicense({ revoked: true }), ...refund };
  const byPlatform = blockedBy({ level: "platform" });
  const { cidr, level, note } = block;
  const registering = (registration: IpRegistration) => withProduct({ registration });
  const unlisted = { registered: 1, max_ips: 3, registration: "off", registered_ips: ["203.0.113.7"] };
  const allTaken = { registered: 3, max_ips: 3 };
  const suggested = { suggested_version: "2.0.0" };
  const versions = { catalog: catalogOf({ "1.0.0": "blocked", "2.0.0": "latest" }), enforced: true };
  const enforcing = withProduct({ versions });
  const reporting = withProduct({ versions: { ...versions, enforced: false } });
  const old = { version: "1.0.0" };
  const below2 = withLicense({ pin: { mode: "range", min: null, max: "2.0" } });
  const ofPin = { version_range_max: "2.0", version_range_min: null, version_pinned: null };
  const isoNow = new Date(nowMs).toISOString();
  const isoTomorrow = new Date(tomorrowMs).toISOString();
  const midnight = new Date((quotaDay(nowMs) + 1) * dayMs).toISOString();
  type Row = [passed: boolean | null, ExplainReason, when: Partial<ExplainedRequest>, facts?: object];
  const table: Record<RuleName, Row[]> = {
    invalid_api_key: [
      [true, "api_key_usable", {}, { api_keys: ["csk_abcdefgh"] }],
      [false, "no_usable_api_key", withAdmission({ apiKeys: [] })],
    ],
    rate_limit_exceeded: [
      [true, "within_daily_limit", {}, { used: 3, limit: 100, resets_at: midnight }],
      [false, "daily_limit_reached", withAdmission({ usedThatDay: 100 }), { used: 100, limit: 100 }],
      [null, "no_daily_limit", withAdmission({ dailyLimit: null })],
      [null, "past_usage_unknown", withAdmission({ usedThatDay: null })],
    ],
    product_not_found: [
      [true, "product_exists", {}, { product_name: "Product" }],
      [false, "product_deleted", withProduct({ deleted: true })],
    ],
    org_suspended: [
      [true, "organization_served", {}, { suspended_at: null }],
      [false, "organization_suspended", suspended, { suspended_at: isoNow }],
    ],
    billing_suspended: [
      [true, "billing_not_suspended", {}, { billing_state: "active" }],
      [false, "billing_suspended", withProduct({ billing: "suspended" })],
    ],
    product_archived: [
      [true, "product_not_archived", {}, { product_status: "active" }],
      [false, "product_archived", withProduct({ status: "archived" })],
    ],
    product_disabled: [
      [true, "product_not_disabled", {}],
      [false, "product_disabled", withProduct({ status: "disabled" })],
    ],
    license_not_found: [
      [true, "license_exists", {}, { license_id: "license" }],
      [false, "license_missing", { license: null }],
    ],
    revoked: [
      [null, "no_license", { license: null }],
      [true, "not_revoked", {}],
      [false, "revoked", refunded, { revoked_at: isoNow, revoked_reason: "Refund" }],
    ],
    expired: [
      [true, "not_expired", {}, { expires_at: isoTomorrow, at: isoNow }],
      [false, "expired", { atMs: tomorrowMs }, { expires_at: isoTomorrow, at: isoTomorrow }],
      [true, "never_expires", withLicense({ expiresAtMs: null })],
      [true, "term_not_started", withLicense({ expiresAtMs: null, unused: { termMs: dayMs } })],
      [null, "expiry_not_enforced", { ...withProduct({ expiryEnforced: false }), atMs: tomorrowMs }],
    ],
    ip_blocked: [
      [true, "not_blocked", {}, { ip: "203.0.113.7" }],
      [false, "blocked", blockedBy(block), { cidr, level, note, until: null }],
      [false, "blocked_by_platform", byPlatform, { ip: "203.0.113.7", level: "platform" }],
      [null, "no_ip_given", { ip: null }],
    ],
    ip_not_registered: [
      [true, "ip_registered", {}, { ip_registered: true }],
      [null, "no_ip_given", { ip: null }],
      [true, "ip_can_register", unregistered],
      [null, "limit_decides", { ...unregistered, ...full }],
      [false, "ip_not_registered", { ...unregistered, ...registering("off") }, unlisted],
      [false, "ip_not_first", { ...unregistered, ...registering("first_only") }],
      [null, "ip_not_checked", withProduct({ trackIp: false })],
      [null, "ip_system_off", withLicense({ ips: null })],
    ],
    ip_limit_reached: [
      [true, "needs_no_slot", full, allTaken],
      [true, "slot_free", unregistered],
      [true, "slot_free", { ...unregistered, ...registering("first_only") }],
      [false, "ip_limit_reached", { ...unregistered, ...full }, { ...allTaken, ip_registered: false }],
      [null, "registration_off", { ...unregistered, ...full, ...registering("off") }],
    ],
    version_not_allowed: [
      [true, "version_allowed", {}, { version: "2.0.0", state: "latest" }],
      [null, "versions_not_checked", withProduct({ versions: null })],
      [null, "no_version_given", { version: null }, suggested],
      [false, "version_blocked", { ...enforcing, ...old }, { state: "blocked", ...suggested }],
      [true, "version_reported_only", { ...reporting, ...old }, { state: "blocked", enforced: false }],
      [false, "version_missing", { version: "7.7" }],
      [false, "version_unreadable", { version: "newest" }],
      [false, "version_outside_pin", below2, ofPin],
    ],
  };

  describe.each(ruleNames)("%s", (rule) => {
    test.each(table[rule])("the result is %p because of %s with %j", (passed, reason, change, facts = {}) => {
      const found = explain({ ...passing, ...change }).rules.find((one) => one.rule === rule);
      expect<object | undefined>(found).toMatchObject({ passed, reason, facts });
    });
  });

  test("every reason of a rule is tested", () => {
    const known = new Set(Object.values(table).flatMap((rows) => rows.map(([, reason]) => reason)));
    // A request without a key is only known from the log: see explain-again.test.ts.
    expect(explainReasons.filter((reason) => !known.has(reason))).toEqual(["no_key_sent"]);
  });
});

test("the sentences of an explanation name the facts", () => {
  const messageOf = (rule: RuleName, change: Partial<ExplainedRequest>) =>
    explain({ ...passing, ...change }).rules.find((one) => one.rule === rule)?.message;
  expect(messageOf("expired", { atMs: tomorrowMs })).toBe("The license expired at 2030-06-16T12:00:00.000Z.");
  expect(messageOf("ip_blocked", blockedBy(block))).toBe(
    "203.0.113.7 is blocked by 203.0.113.0/24 of the organization, since 2030-06-14T12:00:00.000Z.",
  );
  expect(messageOf("invalid_api_key", withAdmission({ apiKeys: ["csk_a", "csk_b"] }))).toBe(
    "The product has a usable API key: csk_a, csk_b.",
  );
});
