import fc from "fast-check";
import { VersionCatalog } from "../versions/catalog.ts";
import type { VersionPin } from "../versions/gate.ts";
import type { CallerFacts, IpRegistration, LicenseFacts, ProductFacts } from "./facts.ts";
import { nowMs, sampleLicense, sampleProduct } from "./sample-facts.ts";

/** Arbitrary facts for property tests, around `nowMs` of the sample facts. */

const registration = fc.constantFrom<IpRegistration>("off", "until_limit", "first_only");
export const version = fc.constantFrom("0.9.0", "1.0.0", "1.0.5", "2.0.0", "2.0.0-rc", "3", "?");
const catalog = fc
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
    versions: fc.option(fc.record({ catalog, enforced: fc.boolean() })),
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
