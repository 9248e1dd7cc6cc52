import { csvLine } from "@countersign/domain/csv/csv";
import { isoTime } from "@countersign/domain/dates/iso-time";
import type { LicenseFilter } from "@countersign/store/queries/licenses/filter";
import { ipsOf, type RegisteredIp } from "@countersign/store/queries/licenses/ips";
import { licenseBatches } from "@countersign/store/queries/licenses/list";
import {
  type LicenseView,
  licenseViews,
  type ShownLicense,
  showLicense,
} from "@countersign/store/queries/licenses/views";
import type { Store } from "@countersign/store/store";

type FileFormat = "csv" | "jsonl";

/** Few enough that reading them delays nobody. */
const rowsAtOnce = 500;

/** The file, in parts, each with its number of licenses. A null filter means none. */
export async function* exportText(
  store: Store,
  filter: LicenseFilter | null,
  format: FileFormat,
  nowMs: number,
): AsyncGenerator<{ readonly text: string; readonly licenses: number }, void> {
  if (format === "csv") yield { text: csvLine(exportFields), licenses: 0 };
  if (filter === null) return;
  for await (const { ids } of licenseBatches(store, filter, null, rowsAtOnce, nowMs)) {
    if (ids.length === 0) continue;
    const views = await licenseViews(store.reads, ids);
    const ips = await ipsOf(store.reads, ids);
    const records = views.map((view) => exportRecord(view, ips.get(view.id) ?? [], nowMs));
    const text = records.map((record) => (format === "csv" ? csvRow(record) : `${JSON.stringify(record)}\n`));
    yield { text: text.join(""), licenses: records.length };
  }
}

export function fileName(slug: string, format: FileFormat, nowMs: number): string {
  return `licenses-${slug}-${new Date(nowMs).toISOString().slice(0, 10)}.${format}`;
}

function csvRow(record: ExportRecord): string {
  return csvLine(
    exportFields.map((field) => {
      const value = record[field];
      if (Array.isArray(value)) return listCell(value);
      return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
    }),
  );
}

/**
 * A license as a file contains it: everything the management API shows, its registered IP addresses with their times,
 * and `max_ips` even if the license does not limit IP addresses. Importing the file recreates the same license.
 */
type ExportRecord = ShownLicense & {
  readonly max_ips: number;
  readonly ips: readonly string[];
  readonly ips_registered_at: readonly string[];
};

function exportRecord(view: LicenseView, ips: readonly RegisteredIp[], nowMs: number): ExportRecord {
  return {
    ...showLicense(view, nowMs),
    max_ips: view.max_ips,
    ips: ips.map(({ ip }) => ip),
    ips_registered_at: ips.map(({ registeredAt }) => isoTime(registeredAt)),
  };
}

/** The columns of a CSV export, in order. */
const exportFields = [
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
function listCell(texts: readonly string[]): string {
  const needsJson = texts.some((text) => text.includes(";") || text.startsWith("["));
  return needsJson ? JSON.stringify(texts) : texts.join(";");
}
