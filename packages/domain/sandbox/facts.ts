import { createHmac } from "node:crypto";
import { dayMs } from "../dates/lengths.ts";
import { quotaDay } from "../quota/day.ts";
import { decide, productRefusal, type Verdict } from "../validate/decide.ts";
import type { CallerFacts, LicenseFacts, ProductFacts } from "../validate/facts.ts";
import { VersionCatalog } from "../versions/catalog.ts";
import type { SandboxLicense } from "./license-keys.ts";

/** What the sandbox answers about a real product; everything else about it is fixed. */
type SandboxProduct = Pick<
  ProductFacts,
  "productId" | "productName" | "organizationId" | "organizationName" | "ipv6Prefix" | "custom"
>;

/** The facts about a fixed license, and the verdict that follows from them. */
interface SandboxVerdict {
  readonly license: LicenseFacts | null;
  readonly verdict: Verdict;
}

/** No license and no customer has these. */
const sandboxLicenseId = "00000000-0000-7000-8000-000000000000";
export const sandboxCustomerId = "00000000-0000-7000-8000-000000000001";
export const sandboxCustomer = {
  email: "ada@example.com",
  name: "Ada Lovelace",
  discordId: "123456789012345678",
} as const;

/** The newest version of every product in the sandbox, and one that is not in its list. */
const sandboxVersion = "2.1.0";
const unlistedVersion = "0.9.0";

/** Times are whole UTC days from now, so that they are the same all day. */
export const sandboxTimes = {
  expiresAtMs: (nowMs: number) => (quotaDay(nowMs) + 30) * dayMs,
  expiredAtMs: (nowMs: number) => (quotaDay(nowMs) - 30) * dayMs,
  revokedAtMs: (nowMs: number) => (quotaDay(nowMs) - 1) * dayMs,
  createdAtMs: (nowMs: number) => (quotaDay(nowMs) - 90) * dayMs,
};

/** The product as the sandbox sees it: active, whatever the state of the real one. */
export function sandboxProduct(product: SandboxProduct): ProductFacts {
  return {
    ...product,
    deleted: false,
    status: "active",
    organizationSuspended: false,
    billing: "active",
    expiryEnforced: true,
    trackIp: true,
    registration: "until_limit",
    versions: null,
  };
}

/** Decides about a fixed license with the rules of validate, from facts that lead to its status. */
export function sandboxVerdict(
  product: ProductFacts,
  fixed: SandboxLicense | null,
  version: string | null,
  nowMs: number,
): SandboxVerdict {
  const changed: Changes = fixed === null ? {} : changes(fixed, nowMs);
  const caller: CallerFacts = { blocked: false, registered: true, version, ...changed.caller };
  // Whatever version was sent is allowed, unless the key is about one that is not.
  const allowed = changed.caller?.version === undefined ? version : null;
  const versions = { catalog: catalog(allowed), enforced: fixed?.status === "version_not_allowed" };
  const decided: ProductFacts = { ...product, versions, ...changed.product };
  // A product that rejects every request looks up no license.
  const isMissing =
    fixed === null || fixed.status === "license_not_found" || productRefusal(decided) !== null;
  const license = isMissing ? null : sandboxLicenseFacts(fixed, nowMs);
  return { license, verdict: decide(decided, license, caller, nowMs) };
}

export function sandboxLicenseFacts(fixed: SandboxLicense, nowMs: number): LicenseFacts {
  return {
    id: sandboxLicenseId,
    revoked: false,
    expiresAtMs: sandboxTimes.expiresAtMs(nowMs),
    unused: null,
    ips: { max: 3, registered: 1 },
    pin: null,
    custom: { key: fixed.licenseKey, override: null, customer: sandboxCustomer },
    ...changes(fixed, nowMs).license,
  };
}

interface Changes {
  readonly product?: Partial<ProductFacts>;
  readonly license?: Partial<LicenseFacts>;
  readonly caller?: Partial<CallerFacts>;
}

/** How the facts differ from those of a license that is valid. */
function changes({ status, variant }: SandboxLicense, nowMs: number): Changes {
  switch (status) {
    case "active":
      return variant === null ? {} : variantChanges[variant];
    case "product_not_found":
      return { product: { deleted: true } };
    case "org_suspended":
      return { product: { organizationSuspended: true } };
    case "billing_suspended":
      return { product: { billing: "suspended" } };
    case "product_archived":
      return { product: { status: "archived" } };
    case "product_disabled":
      return { product: { status: "disabled" } };
    case "revoked":
      return { license: { revoked: true } };
    case "expired":
      return { license: { expiresAtMs: sandboxTimes.expiredAtMs(nowMs) } };
    case "ip_blocked":
      return { caller: { blocked: true } };
    case "ip_not_registered":
      return { product: { registration: "off" }, caller: { registered: false } };
    case "ip_limit_reached":
      return { license: { ips: { max: 3, registered: 3 } }, caller: { registered: false } };
    case "version_not_allowed":
      return { caller: { version: unlistedVersion } };
    case "license_not_found":
    case "invalid_api_key":
    case "rate_limit_exceeded":
    case "unavailable":
      return {};
  }
}

const variantChanges: Record<NonNullable<SandboxLicense["variant"]>, Changes> = {
  new_ip: { caller: { registered: false } },
  any_ip: { license: { ips: null } },
  lifetime: { license: { expiresAtMs: null } },
  old_version: { caller: { version: unlistedVersion } },
};

function catalog(allowed: string | null): VersionCatalog {
  return VersionCatalog.from([
    { version: sandboxVersion, state: "latest" },
    ...(allowed === null ? [] : [{ version: allowed, state: "allowed" as const }]),
  ]);
}

/**
 * Sandbox responses are signed with a key of their own, derived from the test API key. An application in production
 * knows only the product's secret, so a response about a fixed license can never pass there as a genuine one.
 */
export function sandboxSigningKey(apiKey: { readonly publicId: string; readonly key: string }): {
  readonly keyId: string;
  readonly secret: Uint8Array;
} {
  return {
    keyId: `sandbox_${apiKey.publicId}`,
    secret: createHmac("sha256", "countersign.sandbox-signing.v1").update(apiKey.key).digest(),
  };
}
