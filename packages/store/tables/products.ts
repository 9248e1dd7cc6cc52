import type { EventType } from "@countersign/domain/events/types";
import type { Language } from "@countersign/domain/mail/languages";
import type { ProductStatus } from "@countersign/domain/validate/facts";
import type { VersionState } from "@countersign/domain/versions/catalog";
import type { Flag } from "./columns.ts";

/** Products with their keys, versions and downloads, and how much of their daily limit is used. */
export interface ProductsTables {
  products: ProductRow;
  product_api_keys: ProductApiKeyRow;
  product_signing_keys: ProductSigningKeyRow;
  product_sandbox_keys: ProductSandboxKeyRow;
  product_versions: ProductVersionRow;
  product_downloads: ProductDownloadRow;
  daily_usage: {
    product_id: string;
    day: number;
    used: number;
    /** How many calls the last update admitted: how a batch learns what it was granted. */
    last_granted: number;
    /** The limit in force when it was last counted; null for none. */
    daily_limit: number | null;
  };
  quota_notices: QuotaNoticeRow;
  quota_checks: QuotaCheckRow;
}

export interface ProductRow {
  id: string;
  organization_id: string;
  name: string;
  status: ProductStatus;
  /** Whether new licenses are rejected; existing ones keep working. */
  closed_for_sale: Flag;
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
  /** Incremented with every change to the product's version records. */
  versions_revision: number;
  ipv6_prefix: 64 | 128;
  /** While single IPv6 addresses are merged into their /64: the last license that is done. */
  merge_ips_after: string | null;
  created_at: number;
  updated_at: number;
  /** A deleted product keeps its row and its keys, so that its callers learn what happened. */
  deleted_at: number | null;
  /** The default expiry of a new license; null for lifetime. */
  default_expires_in_days: number | null;
  default_ip_system_enabled: Flag;
  /** Whether customers get an email with the key of a new license. */
  deliver_license_by_email: Flag;
  /** The organization's own text in that email. */
  license_email_text: string | null;
  /** Whether customers get an email some time before a license expires. */
  expiring_soon_email: Flag;
  /** The language of emails to its customers; null for the organization's. */
  locale: Language | null;
  /** How long before a license expires `license.expiring_soon` is recorded. */
  expiring_soon_days: number;
  /** Whether customers see its licenses in the portal. */
  portal_enabled: Flag;
  /** How many IP addresses a customer can remove from a license within 30 days; 0 for none. */
  portal_ip_removals_per_30_days: number;
  /** Whether customers can replace the key of a license. */
  portal_key_rotation: Flag;
  /** Whether customers can request transfers, and what approves them. */
  transfers: "off" | "review" | "automatic";
  /** The days without automatic approval after a license was created or transferred. */
  transfer_cooldown_days: number;
  transfer_resets_ips: Flag;
  transfer_rotates_key: Flag;
  /** Where customers renew. */
  renewal_url: string | null;
}

export interface ProductApiKeyRow {
  public_id: string;
  product_id: string;
  hash: string;
  /** Its display name; can be empty. */
  name: string;
  created_at: number;
  /** To the minute; null for never. */
  last_used_at: number | null;
  /** When an email reported it as unused, once. Null for not yet. */
  unused_notified_at: number | null;
  /** When it expires; null for never. */
  expires_at: number | null;
}

export interface ProductSigningKeyRow {
  id: string;
  product_id: string;
  /** The secret, encrypted with the installation's data key. */
  sealed_secret: string;
  /** Signs from this time on, until a newer one does: a rotation sets it to the end of the overlap. */
  active_from: number;
  created_at: number;
}

/** A test API key. It grants nothing, so the whole key is stored. */
export interface ProductSandboxKeyRow {
  product_id: string;
  public_id: string;
  api_key: string;
  created_at: number;
}

export interface ProductVersionRow {
  product_id: string;
  version: string;
  state: VersionState;
  created_at: number;
}

export interface ProductDownloadRow {
  product_id: string;
  position: number;
  id: string;
  title: string;
  url: string;
  /** Only licenses that can use this version or a newer one see it. */
  min_version: string | null;
  checksum: string | null;
}

/** An email about a reached limit was written, or left out because there were too many: see `quotaEmails`. */
export interface QuotaNoticeRow {
  organization_id: string;
  day: number;
  product_id: string;
  type: Extract<EventType, `quota.${string}`>;
}

/** A check to run after a product's limit was lowered: see `quotaCheck`. */
export interface QuotaCheckRow {
  product_id: string;
  type: Extract<EventType, `quota.${string}`>;
  day: number;
  /** When the limit was first lowered; what was recorded since is not recorded again. */
  changed_at: number;
  check_at: number;
}
