import fc from "fast-check";
import { dayMs } from "../../packages/domain/dates/lengths.ts";
import type {
  CallerFacts,
  IpRegistration,
  LicenseFacts,
  ProductFacts,
} from "../../packages/domain/validate/facts.ts";
import { VersionCatalog, type VersionState } from "../../packages/domain/versions/catalog.ts";
import type { VersionPin } from "../../packages/domain/versions/gate.ts";

/** Everything `decide` looks at. */
export interface Situation {
  readonly product: ProductFacts;
  readonly license: LicenseFacts | null;
  readonly caller: CallerFacts;
}

export const nowMs = Date.UTC(2030, 5, 15, 12);
export const tomorrowMs = nowMs + dayMs;

const catalog = VersionCatalog.from([
  { version: "1.0.x", state: "allowed" },
  { version: "2.0.0", state: "latest" },
  { version: "0.9.0", state: "blocked" },
]);

export const sampleProduct: ProductFacts = {
  productId: "product",
  productName: "Product",
  organizationId: "organization",
  organizationName: "Organization",
  deleted: false,
  status: "active",
  organizationSuspended: false,
  billing: "active",
  expiryEnforced: true,
  trackIp: true,
  registration: "until_limit",
  ipv6Prefix: 64,
  versions: { catalog, enforced: true },
  custom: null,
};

export const sampleLicense: LicenseFacts = {
  id: "license",
  revoked: false,
  expiresAtMs: tomorrowMs,
  unused: null,
  ips: { max: 3, registered: 1 },
  pin: null,
  custom: null,
};

const sampleCaller: CallerFacts = { blocked: false, registered: true, version: "2.0.0" };

/** A request that passes: its IP address has one of three slots, its version is the latest. */
export const passing: Situation = { product: sampleProduct, license: sampleLicense, caller: sampleCaller };

/** Arbitrary facts for property tests, around `nowMs` of the sample facts. */

const registration = fc.constantFrom<IpRegistration>("off", "until_limit", "first_only");
export const version = fc.constantFrom("0.9.0", "1.0.0", "1.0.5", "2.0.0", "2.0.0-rc", "3", "?");
const anyCatalog = fc
  .array(
    fc.record({
      version: fc.constantFrom("0.9.0", "1.0.x", "1.0.5", "2.x", "2.0.0", "3"),
      state: fc.constantFrom("allowed", "deprecated", "latest", "blocked"),
    }),
    { maxLength: 6 },
  )
  .map((records) => VersionCatalog.from(records));
const pin: fc.Arbitrary<VersionPin> = fc.oneof(
  fc.constant(null),
  fc.record({ mode: fc.constant<"pinned">("pinned"), version }),
  fc.record({ mode: fc.constant<"range">("range"), min: fc.option(version), max: fc.option(version) }),
);
export const product: fc.Arbitrary<ProductFacts> = fc
  .record({
    deleted: rarely(),
    status: fc.constantFrom<ProductFacts["status"]>("active", "active", "disabled", "archived"),
    organizationSuspended: rarely(),
    billing: fc.constantFrom<ProductFacts["billing"]>("active", "grace", "suspended", "cancelled"),
    expiryEnforced: fc.boolean(),
    trackIp: fc.boolean(),
    registration,
    versions: fc.option(fc.record({ catalog: anyCatalog, enforced: fc.boolean() })),
  })
  .map((settings) => ({ ...sampleProduct, ...settings }));
export const license: fc.Arbitrary<LicenseFacts> = fc
  .record({
    revoked: rarely(),
    expiresAtMs: fc.option(fc.integer({ min: nowMs - 5, max: nowMs + 20 })),
    ips: fc.option(
      fc.record({ max: fc.integer({ min: 1, max: 4 }), registered: fc.integer({ min: 0, max: 4 }) }),
    ),
    pin,
  })
  .map((settings) => ({ ...sampleLicense, ...settings }));
export const caller: fc.Arbitrary<CallerFacts> = fc.record({
  blocked: fc.boolean(),
  registered: fc.boolean(),
  version: fc.option(version),
});

export function rarely(): fc.Arbitrary<boolean> {
  return fc.constantFrom(false, false, false, false, true);
}

/** A catalog for tests: states by version. */
export function catalogOf(states: Record<string, VersionState>): VersionCatalog {
  return VersionCatalog.from(Object.entries(states).map(([version, state]) => ({ version, state })));
}
