import type { Flag, WithDefaults } from "./columns.ts";

/** Customers, their licenses, and the IP addresses that these are used from or blocked for. */
export interface LicensesTables {
  customers: CustomerRow;
  organization_customers: WithDefaults<OrganizationCustomerRow, "search_text">;
  licenses: LicenseRow;
  license_ips: LicenseIpRow;
  license_tags: LicenseTagRow;
  license_counts: LicenseCountRow;
  license_count_changes: LicenseCountRow;
  ip_blocks: IpBlockRow;
  former_holders: FormerHolderRow;
  customer_erasures: WithDefaults<CustomerErasureRow, "former_ids">;
  erased_licenses: ErasedLicenseRow;
}

/** A customer of one organization, with exactly one identifier. What the organization recorded is not here. */
export interface CustomerRow {
  id: string;
  organization_id: string;
  email: string | null;
  discord_id: string | null;
  created_at: number;
}

/** What an organization recorded about a customer; no other organization sees it. */
export interface OrganizationCustomerRow {
  organization_id: string;
  customer_id: string;
  email: string | null;
  name: string | null;
  discord_id: string | null;
  created_at: number;
  updated_at: number;
  /** The search text: email, name and Discord ID, in lower case. */
  search_text: string;
}

/** A customer who had a license before its present one. A trigger writes these rows: see the migration. */
interface FormerHolderRow {
  license_id: string;
  until_at: number;
  /** 0 for the first customer. */
  since_at: number;
  customer_id: string;
  organization_id: string;
}

/** A customer who is being erased. */
export interface CustomerErasureRow {
  customer_id: string;
  organization_id: string;
  /** IDs that the customer had before they were merged with another, separated by spaces. */
  former_ids: string;
  /** Email addresses and Discord IDs that tell the customer's data: a JSON array, encrypted. */
  sealed_terms: string;
  requested_at: number;
}

/** A license whose data is erased with its customer: what was recorded while it was theirs. */
interface ErasedLicenseRow {
  customer_id: string;
  license_id: string;
  since_at: number;
  until_at: number;
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
  /** The number of rows in `license_ips` for this license; incremented only while below `max_ips`. */
  ip_count: number;
  /** When an IP address was last registered or removed; 0 for never. `updated_at` is the time of the last edit. */
  ips_updated_at: number;
  notes: string | null;
  version_pin_mode: "pinned" | "range" | null;
  version_pinned: string | null;
  version_range_min: string | null;
  version_range_max: string | null;
  custom_override: string | null;
  /** The number of blocks for this license. */
  block_count: number;
  revoked_at: number | null;
  revoked_reason: string | null;
  created_at: number;
  updated_at: number;
  /** When it was first validated successfully. */
  first_used_at: number | null;
  /** A term that starts on first use: until then `expires_at` is null and the license does not expire. */
  term_ms: number | null;
  /** The organization's own data, as a JSON object; the public API never returns it. */
  metadata: string | null;
  /** The search text: the key, the customer, the notes and the tags, in lower case. */
  search_text: string;
}

export interface LicenseIpRow {
  license_id: string;
  ip: string;
  /** The /64 of a single IPv6 address; null for IPv4 and for a /64. */
  network: string | null;
  registered_at: number;
}

export interface LicenseTagRow {
  organization_id: string;
  tag: string;
  license_id: string;
}

/** The number of licenses that have this in common. Maintained by triggers: see the migration `license-counts.ts`. */
export interface LicenseCountRow {
  organization_id: string;
  /** What happens to them on that day; for creation, the other columns are not distinguished. */
  fact: "expires" | "created";
  product_id: string;
  /** Days since 1970, in UTC. */
  day: number;
  is_revoked: number;
  is_used: number;
  has_notes: number;
  licenses: number;
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
  /** The name of the user who created it. */
  created_by: string | null;
  updated_at: number;
}
