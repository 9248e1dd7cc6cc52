import { csvLine } from "@countersign/domain/csv/cell";
import { searchTerm } from "@countersign/domain/licenses/search-text";
import { type ExportFilter, exportPage } from "@countersign/store/queries/export-licenses";
import type { Store } from "@countersign/store/store";
import { type ExportRecord, exportFields, exportRecord, listCell } from "./record.ts";

export interface Filter {
  readonly productId: string | null;
  readonly status: "active" | "expired" | "revoked" | null;
  readonly tag: string | null;
  readonly search: string | null;
}

export type FileFormat = "csv" | "jsonl";

/** Few enough that reading them holds up nobody. */
const rowsAtOnce = 500;

/** The file, made while it is read: the next rows are fetched when the reader wants more. */
export function exportStream(
  store: Store,
  organizationId: string,
  format: FileFormat,
  filter: Filter,
  nowMs: number,
): ReadableStream<Uint8Array> {
  const pages = exportText(store, organizationId, format, filter, nowMs);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await pages.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value.text));
      },
      cancel: async () => {
        await pages.return();
      },
    },
    { highWaterMark: 1 },
  );
}

/** The same as texts, each with how many licenses it holds. */
export async function* exportText(
  store: Store,
  organizationId: string,
  format: FileFormat,
  filter: Filter,
  nowMs: number,
): AsyncGenerator<{ readonly text: string; readonly licenses: number }, void> {
  if (format === "csv") yield { text: csvLine(exportFields), licenses: 0 };
  const wanted: ExportFilter = { organizationId, productId: filter.productId, tag: filter.tag };
  const term = filter.search === null ? null : searchTerm(filter.search);
  for (let after: string | null = null; ; ) {
    const page = await exportPage(store.reads, wanted, after, rowsAtOnce);
    let text = "";
    let licenses = 0;
    for (const row of page.rows) {
      if (term !== null && !row.search_text.includes(term)) continue;
      const record = exportRecord(row, nowMs);
      if (filter.status !== null && record.status !== filter.status) continue;
      licenses += 1;
      text += format === "csv" ? csvRow(record) : `${JSON.stringify(record)}\n`;
    }
    if (licenses > 0) yield { text, licenses };
    if (page.next === null) return;
    after = page.next;
    // Between two pages everybody else has a turn.
    await new Promise((resolve) => setImmediate(resolve));
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
