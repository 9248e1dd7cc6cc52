import { csvLine } from "@countersign/domain/csv/cell";
import type { LicenseFilter } from "@countersign/store/queries/licenses/filter";
import { ipsOf } from "@countersign/store/queries/licenses/ips";
import { licenseBatches } from "@countersign/store/queries/licenses/list";
import { licenseViews } from "@countersign/store/queries/licenses/views";
import type { Store } from "@countersign/store/store";
import { type ExportRecord, exportFields, exportRecord, listCell } from "./record.ts";

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
