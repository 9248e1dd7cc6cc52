/**
 * Every table, as both databases hold it: ids are text, flags are 0 or 1, times are milliseconds since 1970, JSON is
 * text. The migrations create exactly this.
 */
import type { Plan } from "@countersign/domain/quota/limit";
import type { BillingState, ProductStatus } from "@countersign/domain/validate/facts";
import type { VersionState } from "@countersign/domain/versions/catalog";

export interface Tables {
  organizations: OrganizationRow;
  products: ProductRow;
  product_api_keys: ProductApiKeyRow;
  product_signing_keys: ProductSigningKeyRow;
  product_versions: ProductVersionRow;
  customers: CustomerRow;
  organization_customers: OrganizationCustomerRow;
  licenses: LicenseRow;
  license_ips: LicenseIpRow;
  ip_blocks: IpBlockRow;
  daily_usage: DailyUsageRow;
  platform_state: PlatformStateRow;
  request_log: RequestLogRow;
  ip_sightings: IpSightingRow;
}

export interface OrganizationRow {
  id: string;
  name: string;
  slug: string;
  plan: Plan;
  daily_limit_override: number | null;
  signed_validation: Flag;
  suspended_at: number | null;
  suspension_reason: string | null;
  billing_state: BillingState;
  /** Raised with every change to the organization's block list. */
  ip_blocks_revision: number;
  /** How many blocks it holds against single customers: none means that nobody has to look. */
  customer_block_count: number;
  created_at: number;
  updated_at: number;
}

export interface ProductRow {
  id: string;
  organization_id: string;
  name: string;
  status: ProductStatus;
  auto_register_ip_on_validate: Flag;
  auto_register_scope: "until_limit" | "first_only";
  track_ip_on_validate: Flag;
  default_max_ips: number;
  expiry_enforcement: Flag;
  signed_validation: Flag;
  custom_response_enabled: Flag;
  custom_response: string | null;
  custom_response_on_refusal: Flag;
  version_module_enabled: Flag;
  version_enforcement: "enforce" | "report";
  /** Raised with every change to the product's version records. */
  versions_revision: number;
  ipv6_prefix: 64 | 128;
  created_at: number;
  updated_at: number;
  /** A deleted product keeps its row and its keys, so that its callers learn what happened. */
  deleted_at: number | null;
}

export interface ProductApiKeyRow {
  public_id: string;
  product_id: string;
  hash: string;
  created_at: number;
  /** When an old key stops working after a rotation. */
  expires_at: number | null;
}

export interface ProductSigningKeyRow {
  id: string;
  product_id: string;
  /** The secret, encrypted with the installation's data key. */
  sealed_secret: string;
  /** Signs from this time on, until a newer one does: rotation sets it to the end of the overlap. */
  active_from: number;
  created_at: number;
}

export interface ProductVersionRow {
  product_id: string;
  version: string;
  state: VersionState;
  created_at: number;
}

/** A person, known to the whole installation by exactly one identifier. What organizations wrote is not here. */
export interface CustomerRow {
  id: string;
  email: string | null;
  discord_id: string | null;
  created_at: number;
}

/** What one organization wrote about a customer; no other organization sees it. */
export interface OrganizationCustomerRow {
  organization_id: string;
  customer_id: string;
  email: string | null;
  name: string | null;
  discord_id: string | null;
  created_at: number;
  updated_at: number;
}

export interface LicenseRow {
  id: string;
  organization_id: string;
  product_id: string;
  customer_id: string | null;
  license_key: string;
  /** The key as it is compared: trimmed and upper-cased. */
  license_key_match: string;
  is_lifetime: Flag;
  expires_at: number | null;
  ip_system_enabled: Flag;
  max_ips: number;
  /** How many rows `license_ips` holds for this license; raised only while below `max_ips`. */
  ip_count: number;
  notes: string | null;
  version_pin_mode: "pinned" | "range" | null;
  version_pinned: string | null;
  version_range_min: string | null;
  version_range_max: string | null;
  custom_override: string | null;
  /** How many blocks are set against this license. */
  block_count: number;
  revoked_at: number | null;
  revoked_reason: string | null;
  created_at: number;
  updated_at: number;
}

export interface LicenseIpRow {
  license_id: string;
  ip: string;
  registered_at: number;
}

export type BlockTier = "platform" | "organization" | "customer" | "license";

export interface IpBlockRow {
  id: string;
  tier: BlockTier;
  /** Null at platform level. */
  organization_id: string | null;
  /** The organization, customer or license that the block is for; empty at platform level. */
  scope_id: string;
  cidr: string;
  note: string | null;
  expires_at: number | null;
  created_at: number;
}

export interface DailyUsageRow {
  product_id: string;
  day: number;
  used: number;
  /** How many the last update let pass: how a batch learns what it was granted. */
  last_granted: number;
  /** The limit in force when it was last counted; null for none. */
  daily_limit: number | null;
}

export interface PlatformStateRow {
  name: string;
  value: string;
}

export interface RequestLogRow {
  id: string;
  at: number;
  organization_id: string;
  product_id: string;
  license_id: string | null;
  endpoint: "validate" | "lookup";
  status: string;
  ip: string;
  version: string | null;
  device_id: string | null;
  problem: string | null;
}

export type SightingTier = "platform" | "organization" | "license";

export interface IpSightingRow {
  tier: SightingTier;
  /** The organization or license; empty at platform level. */
  scope_id: string;
  ip: string;
  first_seen_at: number;
  last_seen_at: number;
  hits: number;
  /** How many licenses were used from this address, within the scope. */
  license_count: number;
}

type Flag = 0 | 1;
