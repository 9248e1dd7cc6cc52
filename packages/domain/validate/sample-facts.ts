import { dayMs } from "../dates/lengths.ts";
import { VersionCatalog } from "../versions/catalog.ts";
import type { CallerFacts, LicenseFacts, ProductFacts } from "./facts.ts";

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
