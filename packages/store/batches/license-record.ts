import { isoTime } from "@countersign/domain/dates/iso-time";
import { isExpired } from "@countersign/domain/validate/decide";

/** A license as the lookup endpoint returns it, with its members in their documented order. */
export interface LicenseRecord {
  readonly id: string;
  readonly organization_id: string;
  readonly product_id: string;
  readonly global_customer_id: string | null;
  readonly license_key: string;
  readonly status: "active" | "revoked" | "expired";
  readonly expires_at: string | null;
  readonly is_lifetime: boolean;
  readonly ip_system_enabled: boolean;
  readonly max_ips: number | null;
  readonly current_unique_ip_count: number;
  readonly notes: string | null;
  readonly version_pin_mode: "pinned" | "range" | null;
  readonly version_pinned: string | null;
  readonly version_range_min: string | null;
  readonly version_range_max: string | null;
  readonly revoked_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly customer_email: string | null;
  readonly customer_name: string | null;
  readonly customer_discord_id: string | null;
}

/** The columns of a record; both databases select them under these names. */
export interface LicenseRecordRow {
  id: string;
  organization_id: string;
  product_id: string;
  customer_id: string | null;
  license_key: string;
  is_lifetime: number;
  expires_at: number | null;
  ip_system_enabled: number;
  max_ips: number;
  ip_count: number;
  notes: string | null;
  version_pin_mode: "pinned" | "range" | null;
  version_pinned: string | null;
  version_range_min: string | null;
  version_range_max: string | null;
  revoked_at: number | null;
  created_at: number;
  updated_at: number;
  ips_updated_at: number;
  customer_email: string | null;
  customer_name: string | null;
  customer_discord_id: string | null;
}

export const licenseRecordColumns = `
  l.id, l.organization_id, l.product_id, l.customer_id, l.license_key, l.is_lifetime, l.expires_at,
  l.ip_system_enabled, l.max_ips, l.ip_count, l.notes, l.version_pin_mode, l.version_pinned,
  l.version_range_min, l.version_range_max, l.revoked_at, l.created_at, l.updated_at, l.ips_updated_at,
  c.email as customer_email, c.name as customer_name, c.discord_id as customer_discord_id`;

export function licenseRecord(row: LicenseRecordRow, versionModule: boolean, nowMs: number): LicenseRecord {
  const ipSystem = row.ip_system_enabled === 1;
  const expiresAtMs = row.is_lifetime === 1 ? null : row.expires_at;
  return {
    id: row.id,
    organization_id: row.organization_id,
    product_id: row.product_id,
    global_customer_id: row.customer_id,
    license_key: row.license_key,
    status: licenseStatus(row, nowMs),
    expires_at: isoTime(expiresAtMs),
    is_lifetime: row.is_lifetime === 1,
    ip_system_enabled: ipSystem,
    max_ips: ipSystem ? row.max_ips : null,
    current_unique_ip_count: row.ip_count,
    notes: row.notes,
    version_pin_mode: versionModule ? row.version_pin_mode : null,
    version_pinned: row.version_pinned,
    version_range_min: row.version_range_min,
    version_range_max: row.version_range_max,
    revoked_at: isoTime(row.revoked_at),
    created_at: isoTime(row.created_at),
    // The IP address count is part of the record, so a change to it is an update of the record.
    updated_at: isoTime(Math.max(row.updated_at, row.ips_updated_at)),
    customer_email: row.customer_email,
    customer_name: row.customer_name,
    customer_discord_id: row.customer_discord_id,
  };
}

export function licenseStatus(
  row: Pick<LicenseRecordRow, "revoked_at" | "is_lifetime" | "expires_at">,
  nowMs: number,
): LicenseRecord["status"] {
  if (row.revoked_at !== null) return "revoked";
  return isExpired(row.is_lifetime === 1 ? null : row.expires_at, nowMs) ? "expired" : "active";
}
