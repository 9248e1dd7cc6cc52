import type { JsonObject } from "@countersign/domain/custom-response/template";
import { CidrSet, isCovered, parseCidr } from "@countersign/domain/ip/cidr";
import type { IpAddress } from "@countersign/domain/ip/ip-address";
import { secondsUntilReset } from "@countersign/domain/quota/day";
import type { BillingState } from "@countersign/domain/quota/limit";
import type { CustomerFacts, LicenseFacts, ProductStatus } from "@countersign/domain/validate/facts";
import { VersionCatalog, type VersionState } from "@countersign/domain/versions/catalog";
import { type VersionChecks, type VersionPin, versionChecks } from "@countersign/domain/versions/gate";
import type { Sealer } from "../secrets/sealer.ts";
import type { CallerProduct, QuotaState } from "./calls.ts";
import { memoize, Revisioned } from "./revisioned.ts";

/** What both databases select for a call's API key: the key, its product, its organization and the plan. */
export interface CallerRow {
  public_id: string;
  hash: string;
  product_id: string;
  product_name: string;
  status: ProductStatus;
  deleted_at: number | null;
  auto_register_ip_on_validate: number;
  auto_register_scope: "until_limit" | "first_only";
  track_ip_on_validate: number;
  expiry_enforcement: number;
  product_signs: number;
  custom_response_enabled: number;
  custom_response: string | null;
  custom_response_on_refusal: number;
  version_module_enabled: number;
  version_enforcement: VersionChecks;
  versions_revision: number;
  ipv6_prefix: number;
  organization_id: string;
  organization_name: string;
  daily_limit_override: number | null;
  plan_daily_limit: number | null;
  plan_version_module: number;
  had_version_module: number;
  version_checks_on_downgrade: VersionChecks;
  organization_signs: number;
  suspended_at: number | null;
  billing_state: BillingState;
  ip_blocks_revision: number;
  customer_block_count: number;
  signing_key_id: string | null;
  sealed_secret: string | null;
}

/** Everything of a `CallerRow` that its product, organization and plan decide, whichever API key is used. */
export const productColumns = `
  p.id as product_id, p.name as product_name, p.status, p.deleted_at, p.auto_register_ip_on_validate,
  p.auto_register_scope, p.track_ip_on_validate, p.expiry_enforcement, p.signed_validation as product_signs,
  p.custom_response_enabled, p.custom_response, p.custom_response_on_refusal, p.version_module_enabled,
  p.version_enforcement, p.versions_revision, p.ipv6_prefix,
  o.id as organization_id, o.name as organization_name, o.daily_limit_override,
  o.signed_validation as organization_signs, o.suspended_at, o.billing_state, o.ip_blocks_revision,
  o.customer_block_count, o.had_version_module, o.version_checks_on_downgrade,
  plan.daily_limit as plan_daily_limit, plan.version_module as plan_version_module`;

export const callerColumns = `k.public_id, k.hash, ${productColumns}`;

/** The plan whose limits apply to an organization: `effectivePlan` of domain/quota. */
export const planJoin = `join plans plan
  on plan.id = case when o.billing_state = 'cancelled' then 'free' else o.plan end`;

/** The columns of `licenses` that every validation uses. */
export interface LicenseFactsRow {
  id: string;
  revoked_at: number | null;
  is_lifetime: number;
  expires_at: number | null;
  ip_system_enabled: number;
  max_ips: number;
  ip_count: number;
  customer_id: string | null;
  block_count: number;
  first_used_at: number | null;
  term_ms: number | null;
}

export const licenseFactsColumns = `
  l.id, l.revoked_at, l.is_lifetime, l.expires_at, l.ip_system_enabled, l.max_ips, l.ip_count, l.customer_id,
  l.block_count, l.first_used_at, l.term_ms`;

/** The columns that matter only for version gating or a custom response: most products need neither. */
export interface LicenseDetailRow {
  license_key: string;
  version_pin_mode: "pinned" | "range" | null;
  version_pinned: string | null;
  version_range_min: string | null;
  version_range_max: string | null;
  custom_override: string | null;
}

export const licenseDetailColumns = `
  l.license_key, l.version_pin_mode, l.version_pinned, l.version_range_min, l.version_range_max, l.custom_override`;

/** Converts rows to facts. Holds only values that a revision or their own text can tell apart from outdated ones. */
export class Facts {
  readonly blocks = new Revisioned<CidrSet>(2_000);
  readonly catalogs = new Revisioned<VersionCatalog>(2_000);
  readonly #json = memoize(2_000, (text) => JSON.parse(text) as JsonObject);
  readonly #unseal: (sealed: string) => Uint8Array;

  constructor(sealer: Sealer) {
    this.#unseal = memoize(2_000, (sealed) => sealer.open(sealed));
  }

  product(row: CallerRow, catalog: VersionCatalog | null): CallerProduct {
    return {
      facts: {
        productId: row.product_id,
        productName: row.product_name,
        organizationId: row.organization_id,
        organizationName: row.organization_name,
        deleted: row.deleted_at !== null,
        status: row.status,
        organizationSuspended: row.suspended_at !== null,
        billing: row.billing_state,
        expiryEnforced: row.expiry_enforcement === 1,
        trackIp: row.track_ip_on_validate === 1,
        registration: row.auto_register_ip_on_validate === 1 ? row.auto_register_scope : "off",
        ipv6Prefix: row.ipv6_prefix === 128 ? 128 : 64,
        versions: catalog === null ? null : { catalog, enforced: checksOf(row) === "enforce" },
        custom:
          row.custom_response_enabled === 1
            ? { template: this.#object(row.custom_response), onRefusal: row.custom_response_on_refusal === 1 }
            : null,
      },
      signing:
        row.product_signs === 1 &&
        row.organization_signs === 1 &&
        row.signing_key_id !== null &&
        row.sealed_secret !== null
          ? { keyId: row.signing_key_id, secret: this.#unseal(row.sealed_secret) }
          : null,
    };
  }

  /** `details` is null for a product that does not need them. */
  license(
    row: LicenseFactsRow,
    details: LicenseDetailRow | null,
    customer: CustomerFacts | null,
  ): LicenseFacts {
    return {
      id: row.id,
      revoked: row.revoked_at !== null,
      expiresAtMs: row.is_lifetime === 1 ? null : row.expires_at,
      unused: row.first_used_at === null ? { termMs: row.term_ms } : null,
      ips: row.ip_system_enabled === 1 ? { max: row.max_ips, registered: row.ip_count } : null,
      pin: details === null ? null : versionPin(details),
      custom:
        details === null
          ? null
          : { key: details.license_key, override: this.#object(details.custom_override), customer },
    };
  }

  #object(text: string | null): JsonObject | null {
    return text === null ? null : this.#json(text);
  }
}

/** Whether the product's version records matter for this caller at all. */
export function gatesVersions(row: VersionTerms): boolean {
  return checksOf(row) !== null;
}

/** The operator's override for the organization wins. */
export function limitOf(row: CallerRow): number | null {
  return row.daily_limit_override ?? row.plan_daily_limit;
}

export function quotaState(limit: number | null, used: number, nowMs: number): QuotaState {
  return {
    limit,
    remaining: limit === null ? 0 : Math.max(0, limit - used),
    resetSeconds: secondsUntilReset(nowMs),
  };
}

export function cidrSet(rows: Iterable<{ cidr: string; expires_at: number | null }>): CidrSet {
  const entries = [];
  for (const row of rows) {
    const cidr = parseCidr(row.cidr);
    if (cidr !== null) entries.push({ cidr, expiresAtMs: row.expires_at });
  }
  return entries.length === 0 ? CidrSet.empty : CidrSet.from(entries);
}

/** Whether a short list, which is read for each call, covers an IP address. */
export function isBlockedBy(
  rows: Iterable<{ cidr: string; expires_at: number | null }>,
  ipAddress: IpAddress,
  nowMs: number,
): boolean {
  for (const { cidr: text, expires_at: untilMs } of rows) {
    const cidr = untilMs === null || untilMs > nowMs ? parseCidr(text) : null;
    if (cidr !== null && isCovered(ipAddress, cidr)) return true;
  }
  return false;
}

export function versionCatalog(rows: Iterable<{ version: string; state: VersionState }>): VersionCatalog {
  return VersionCatalog.from(rows);
}

type VersionTerms = Pick<
  CallerRow,
  | "version_module_enabled"
  | "version_enforcement"
  | "plan_version_module"
  | "had_version_module"
  | "version_checks_on_downgrade"
>;

function checksOf(row: VersionTerms): VersionChecks | null {
  return versionChecks({
    enabled: row.version_module_enabled === 1,
    enforcement: row.version_enforcement,
    inPlan: row.plan_version_module === 1,
    hadModule: row.had_version_module === 1,
    onDowngrade: row.version_checks_on_downgrade,
  });
}

export function versionPin(
  row: Pick<
    LicenseDetailRow,
    "version_pin_mode" | "version_pinned" | "version_range_min" | "version_range_max"
  >,
): VersionPin {
  switch (row.version_pin_mode) {
    case null:
      return null;
    case "pinned":
      return { mode: "pinned", version: row.version_pinned ?? "" };
    case "range":
      return { mode: "range", min: row.version_range_min, max: row.version_range_max };
  }
}
