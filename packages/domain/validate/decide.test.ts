import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import {
  caller,
  license,
  nowMs,
  passing,
  product,
  rarely,
  type Situation,
  sampleLicense,
  sampleProduct,
  tomorrowMs,
  version,
} from "../../../tests/support/sample-facts.ts";
import { answerBody, decide } from "./decide.ts";
import type { CallerFacts, IpRegistration, LicenseFacts, ProductFacts } from "./facts.ts";
import { type Outcome, validateStatuses } from "./status.ts";

interface Change {
  readonly product?: Partial<ProductFacts>;
  readonly license?: Partial<LicenseFacts> | null;
  readonly caller?: Partial<CallerFacts>;
}

function changed(situation: Situation, { product, license, caller }: Change): Situation {
  return {
    product: { ...situation.product, ...product },
    license: license === null || situation.license === null ? null : { ...situation.license, ...license },
    caller: { ...situation.caller, ...caller },
  };
}

const verdictOf = ({ product, license, caller }: Situation) => decide(product, license, caller, nowMs);
const verdictAfter = (change: Change) => verdictOf(changed(passing, change));

const noIps = { ipRegistered: null, ipCount: null, maxIps: null };
const nothingKnown = { expiresAtMs: null, ...noIps, version: null, versionValid: null };
const known = { expiresAtMs: tomorrowMs, ipCount: 1, maxIps: 3, version: "2.0.0", versionValid: true };
const ipNotChecked = { ...known, ipRegistered: null };
const notRegistered = { ...known, ipRegistered: false };
const newIp = { registered: false };

type Refusal = Exclude<Outcome, "active">;

/**
 * In order of precedence: what ends a request that would pass, and the members of the response (specification 2.3). A
 * new status has to be listed here to compile.
 */
const refusals: Record<Refusal, [cause: Change, members: object]> = {
  product_not_found: [{ product: { deleted: true } }, nothingKnown],
  org_suspended: [{ product: { organizationSuspended: true } }, nothingKnown],
  billing_suspended: [{ product: { billing: "suspended" } }, nothingKnown],
  product_archived: [{ product: { status: "archived" } }, nothingKnown],
  product_disabled: [{ product: { status: "disabled" } }, nothingKnown],
  license_not_found: [{ license: null }, nothingKnown],
  revoked: [{ license: { revoked: true } }, ipNotChecked],
  expired: [{ license: { expiresAtMs: nowMs - 1 } }, { ...ipNotChecked, expiresAtMs: nowMs - 1 }],
  ip_blocked: [{ caller: { blocked: true } }, notRegistered],
  ip_not_registered: [{ product: { registration: "off" }, caller: newIp }, notRegistered],
  ip_limit_reached: [
    { license: { ips: { max: 3, registered: 3 } }, caller: newIp },
    { ...notRegistered, ipCount: 3 },
  ],
  version_not_allowed: [
    { caller: { version: "0.9.0", ...newIp } },
    { ...notRegistered, versionValid: false },
  ],
};
const names = Object.keys(refusals) as Refusal[];
const refusedWithoutUse = { effect: "none", firstUse: false };

test.each(names)("a request that is refused as %s has the members that are known by then", (status) => {
  const [cause, members] = refusals[status];
  expect<object>(verdictAfter(cause)).toEqual({ status, ...members, ...refusedWithoutUse });
});

test("the order of statuses begins with the two that end a request undecided and ends with active", () => {
  const undecided = ["invalid_api_key", "rate_limit_exceeded"];
  expect<readonly string[]>(validateStatuses).toEqual([...undecided, ...names, "active"]);
});

const pairs = names.flatMap((earlier, index) =>
  names.slice(index + 1).map((later) => [earlier, later] as const),
);
test.each(pairs)("the status is %s, not %s, if both apply", (earlier, later) => {
  // The earlier one is applied last, because a product has one status.
  const situation = changed(changed(passing, refusals[later][0]), refusals[earlier][0]);
  expect(verdictOf(situation)).toMatchObject({ status: earlier, effect: "none" });
});

test.each<[Change, members: object]>([
  [{}, known],
  [{ license: { expiresAtMs: null } }, { ...known, expiresAtMs: null }],
  [{ license: { expiresAtMs: nowMs + 1 } }, { ...known, expiresAtMs: nowMs + 1 }],
  [
    { license: { expiresAtMs: 0 }, product: { expiryEnforced: false } },
    { ...known, expiresAtMs: 0 },
  ],
  [{ product: { versions: null } }, { ...known, version: null, versionValid: null }],
  [{ product: { billing: "grace" } }, known],
  [{ product: { billing: "cancelled" } }, known],
])("a request is active after %j", (change, members) => {
  const active = { status: "active", ...members, ipRegistered: false, ...refusedWithoutUse };
  expect<object>(verdictAfter(change)).toEqual(active);
});

test("a license has expired at the moment of its expiry", () =>
  expect(verdictAfter({ license: { expiresAtMs: nowMs } }).status).toBe("expired"));

const hourMs = 3_600_000;
const unused = { expiresAtMs: null, unused: { termMs: hourMs } };
test.each([
  ["starts the term, which the response already shows", unused, false, "active", nowMs + hourMs],
  ["does not start the term if it is refused", unused, true, "ip_blocked", null],
  ["without a term leaves the expiry as it is", { unused: { termMs: null } }, false, "active", tomorrowMs],
] as const)("the first use %s", (_, license, blocked, status, expiresAtMs) => {
  const verdict = verdictAfter({ license, caller: { blocked } });
  expect(verdict).toMatchObject({ status, firstUse: status === "active", expiresAtMs });
});

type VersionRow = [
  string | null,
  below: string | null,
  Outcome,
  versionValid: boolean | null,
  named: string | null,
];
test.each<VersionRow>([
  ["1.0.7", null, "active", true, "1.0.7"],
  ["0.9.0", null, "version_not_allowed", false, "2.0.0"],
  ["rubbish", null, "version_not_allowed", false, "2.0.0"],
  ["2.0.0", "2.0", "version_not_allowed", false, null],
  [null, "2.0", "active", null, null],
])(
  "the version %p of a license below %p is %s if enforced, and active if only reported",
  (version, below, enforced, versionValid, named) => {
    const pin = below === null ? null : ({ mode: "range", min: null, max: below } as const);
    const withVersions = (versions: ProductFacts["versions"]) =>
      verdictAfter({ product: { versions }, license: { pin }, caller: { version } });
    const { versions } = sampleProduct;
    const members = { version: named, versionValid };
    expect(withVersions(versions)).toMatchObject({ status: enforced, ...members });
    const reported = withVersions(versions && { ...versions, enforced: false });
    expect(reported).toMatchObject({ status: "active", ...members });
    expect(withVersions(null).status).toBe("active");
  },
);

describe("IP addresses", () => {
  interface Case {
    readonly blocked: boolean;
    readonly tracked: boolean;
    readonly limited: boolean;
    readonly registration: IpRegistration;
    readonly registered: boolean;
    /** Of three slots. */
    readonly taken: number;
  }

  const checked = { blocked: false, tracked: true, limited: true };
  const ofNewIp = { ...checked, registered: false };

  /** What a row does not name is any. */
  const rows: [when: Partial<Case>, status: Outcome, ipRegistered: boolean | null][] = [
    [{ blocked: true, limited: true }, "ip_blocked", false],
    [{ blocked: true, limited: false }, "ip_blocked", null],
    [{ blocked: false, limited: false }, "active", null],
    [{ blocked: false, limited: true, tracked: false }, "active", false],
    [{ ...checked, registered: true }, "active", false],
    [{ ...ofNewIp, registration: "off" }, "ip_not_registered", false],
    [{ ...ofNewIp, registration: "until_limit", taken: 0 }, "active", true],
    [{ ...ofNewIp, registration: "until_limit", taken: 1 }, "active", true],
    [{ ...ofNewIp, registration: "until_limit", taken: 3 }, "ip_limit_reached", false],
    [{ ...ofNewIp, registration: "first_only", taken: 0 }, "active", true],
    [{ ...ofNewIp, registration: "first_only", taken: 1 }, "ip_not_registered", false],
    [{ ...ofNewIp, registration: "first_only", taken: 3 }, "ip_limit_reached", false],
  ];
  const anyCase = fc
    .record<Case>({
      blocked: fc.boolean(),
      tracked: fc.boolean(),
      limited: fc.boolean(),
      registration: fc.constantFrom("off", "until_limit", "first_only"),
      registered: fc.boolean(),
      taken: fc.constantFrom(0, 1, 3),
    })
    .filter(({ registered, taken }) => !registered || taken > 0);

  test("each combination of settings, blocks and slots is decided by exactly one row", () => {
    forAll(3_000, [anyCase], (one) => {
      const fitting = rows.filter(([when]) => Bun.deepMatch(when, one));
      expect(fitting).toHaveLength(1);
      const [, status, ipRegistered] = fitting[0] ?? [];
      const { blocked, registered, limited, taken, tracked: trackIp, registration } = one;
      const verdict = verdictAfter({
        product: { trackIp, registration },
        license: { ips: limited ? { max: 3, registered: taken } : null },
        caller: { blocked, registered },
      });
      const takesSlot = ipRegistered === true;
      const ipCount = taken + (takesSlot ? 1 : 0);
      const effect = takesSlot ? "register_ip" : "none";
      const counts = limited ? { ipCount, maxIps: 3 } : { ipCount: null, maxIps: null };
      expect(verdict).toMatchObject({ status, ipRegistered, ...counts, effect });
    });
  });

  test("a blocked IP address is never valid and never registered, whatever else applies", () =>
    forAll(2_000, [product, license, caller], (product, license, caller) => {
      const verdict = decide(product, license, { ...caller, blocked: true }, nowMs);
      expect(verdict.status).not.toBe("active");
      expect(verdict.effect).toBe("none");
    }));

  test("only a valid response registers an IP address, and says so", () =>
    forAll(2_000, [product, license, caller], (product, license, caller) => {
      const verdict = decide(product, license, caller, nowMs);
      expect(verdict.effect === "register_ip").toBe(verdict.ipRegistered === true);
      if (verdict.effect === "register_ip") expect(verdict.status).toBe("active");
    }));

  test("no sequence of requests gives a license more IP addresses than it may have", () => {
    const request = fc.record({
      ip: fc.nat(9),
      product,
      blocked: rarely(),
      version: fc.option(version),
    });
    forAll(1_000, [fc.integer({ min: 1, max: 4 }), fc.array(request, { maxLength: 40 })], (max, requests) => {
      const slots = new Set<number>();
      for (const { ip, product, blocked, version } of requests) {
        const ips = { max, registered: slots.size };
        const registered = slots.has(ip);
        const verdict = decide(product, { ...sampleLicense, ips }, { blocked, registered, version }, nowMs);
        if (verdict.effect === "register_ip") {
          expect(registered).toBe(false);
          slots.add(ip);
        }
        if (verdict.ipCount !== null) expect(verdict.ipCount).toBe(slots.size);
        expect(slots.size).toBeLessThanOrEqual(max);
      }
    });
  });
});

test("a request that passes with a pin passes without it", () =>
  forAll(2_000, [product, license, caller], (product, license, caller) => {
    const pinned = decide(product, license, caller, nowMs);
    const free = decide(product, { ...license, pin: null }, caller, nowMs);
    if (pinned.versionValid === true) expect(free.versionValid).toBe(true);
    if (pinned.status === "active") expect(free.status).toBe("active");
  }));

test("a request that is refused as expired is also refused later", () =>
  forAll(2_000, [product, license, caller, fc.nat({ max: 50 })], (product, license, caller, laterMs) => {
    if (decide(product, license, caller, nowMs).status !== "expired") return;
    expect(decide(product, license, caller, nowMs + laterMs).status).toBe("expired");
  }));

test("a product that is not served reveals nothing about the license", () =>
  forAll(100, [product, license, caller], (product, license, caller) => {
    const verdict = decide({ ...product, deleted: true }, license, caller, nowMs);
    expect(verdict).toEqual(decide({ ...product, deleted: true }, null, caller, nowMs));
  }));

describe("the body of a response", () => {
  test("members without a value are null, and never omitted", () => {
    expect(answerBody(verdictAfter({ license: null }), null)).toBe(
      '{"valid":false,"status":"license_not_found","expires":null,"ip_registered":null,"ip_count":null,' +
        '"max_ips":null,"version":null,"version_valid":null,"custom":null,"signature":null}',
    );
  });

  test("a valid response has exactly the documented bytes", () => {
    expect(answerBody(verdictOf(passing), { plan: "pro" })).toBe(
      '{"valid":true,"status":"active","expires":"2030-06-16T12:00:00.000Z","ip_registered":false,"ip_count":1,' +
        '"max_ips":3,"version":"2.0.0","version_valid":true,"custom":{"plan":"pro"},"signature":null}',
    );
  });

  test("a custom member cannot replace one of the ten members", () => {
    const body = JSON.parse(
      answerBody({ ...verdictOf(passing), status: "revoked" }, { valid: true, status: "active" }),
    );
    expect(body).toMatchObject({ valid: false, status: "revoked", custom: { valid: true } });
  });
});
