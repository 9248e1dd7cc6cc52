import { isoTime } from "@countersign/domain/validate/answer";
import { type LicenseRecord, licenseRecord } from "@countersign/store/license-record";
import type { ExportRow } from "@countersign/store/queries/export-licenses";

/** A license as a file holds it: the record that the public API shows, and what only its owners see. */
export interface ExportRecord extends LicenseRecord {
  readonly product_name: string;
  readonly revoked_reason: string | null;
  readonly custom_override: object | null;
  readonly metadata: object | null;
  readonly tags: readonly string[];
  readonly first_used_at: string | null;
  readonly term_seconds: number | null;
  readonly ips: readonly string[];
}

export function exportRecord(row: ExportRow, nowMs: number): ExportRecord {
  return {
    // With the pin as it is kept, whether or not the product gates versions just now: a file is for reading back.
    ...licenseRecord(row, true, nowMs),
    product_name: row.product_name,
    revoked_reason: row.revoked_reason,
    custom_override: row.custom_override === null ? null : JSON.parse(row.custom_override),
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    tags: row.tags,
    first_used_at: isoTime(row.first_used_at),
    term_seconds: row.term_ms === null ? null : row.term_ms / 1_000,
    ips: row.ips,
  };
}

/** The columns of a CSV export, in order. */
export const exportFields = [
  "id",
  "organization_id",
  "product_id",
  "product_name",
  "global_customer_id",
  "license_key",
  "status",
  "expires_at",
  "is_lifetime",
  "term_seconds",
  "first_used_at",
  "ip_system_enabled",
  "max_ips",
  "current_unique_ip_count",
  "ips",
  "notes",
  "tags",
  "metadata",
  "custom_override",
  "version_pin_mode",
  "version_pinned",
  "version_range_min",
  "version_range_max",
  "revoked_at",
  "revoked_reason",
  "created_at",
  "updated_at",
  "customer_email",
  "customer_name",
  "customer_discord_id",
] as const satisfies readonly (keyof ExportRecord)[];

/** Several texts in one cell, as the import reads them. */
export function listCell(texts: readonly string[]): string {
  const needsJson = texts.some((text) => text.includes(";") || text.startsWith("["));
  return needsJson ? JSON.stringify(texts) : texts.join(";");
}
