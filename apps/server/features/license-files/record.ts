import type { RegisteredIp } from "@countersign/store/queries/licenses/ips";
import { type LicenseView, type ShownLicense, showLicense } from "@countersign/store/queries/licenses/views";
import { iso } from "../../api/page.ts";

/**
 * A license as a file contains it: everything the management API shows, its registered IP addresses with their times,
 * and `max_ips` even if the license does not limit IP addresses. Importing the file recreates the same license.
 */
export type ExportRecord = ShownLicense & {
  readonly max_ips: number;
  readonly ips: readonly string[];
  readonly ips_registered_at: readonly string[];
};

export function exportRecord(view: LicenseView, ips: readonly RegisteredIp[], nowMs: number): ExportRecord {
  return {
    ...showLicense(view, nowMs),
    max_ips: view.max_ips,
    ips: ips.map(({ ip }) => ip),
    ips_registered_at: ips.map(({ registeredAt }) => iso(registeredAt)),
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
  "ips_registered_at",
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

/** Several strings in one cell, as the import reads them. */
export function listCell(texts: readonly string[]): string {
  const needsJson = texts.some((text) => text.includes(";") || text.startsWith("["));
  return needsJson ? JSON.stringify(texts) : texts.join(";");
}
