import type { ColumnMap } from "@countersign/domain/license-files/columns";
import { importSourceIds } from "@countersign/domain/license-files/sources";
import type { ImportRow } from "@countersign/store/tables/license-files";
import { CsvRows } from "./csv-rows.ts";
import { JsonDocumentRows, JsonLineRows } from "./json-rows.ts";
import type { FileLayout, RowReader } from "./rows.ts";

/** Reads the file of a job. */
export function rowReader(job: ImportRow, nowMs: number): RowReader {
  const columns = JSON.parse(job.column_map) as ColumnMap;
  const source = importSourceIds.find((id) => id === job.source) ?? null;
  const layout: FileLayout = { format: job.format, columns, source, nowMs };
  if (layout.format === "json") return new JsonDocumentRows(layout);
  return layout.format === "csv" ? new CsvRows(layout) : new JsonLineRows(layout);
}
