import { csvLine } from "@countersign/domain/csv/cell";
import { iterateRequests, type RequestIteration } from "@countersign/store/queries/requests/search";
import type { Store } from "@countersign/store/store";
import { type ShownRequest, showRequests } from "./show.ts";

type ExportFormat = "csv" | "jsonl";

/** How much is read at a time: small enough not to delay other requests. */
const rowsAtATime = 500;

/** The requests as a file, in parts. */
export async function* exportedRequests(
  store: Store,
  { filter, range }: Pick<RequestIteration, "filter" | "range">,
  format: ExportFormat,
): AsyncGenerator<string, void> {
  if (format === "csv") yield csvLine(columns);
  const iteration = { filter, range, order: "newest", rowsTogether: rowsAtATime } as const;
  for await (const rows of iterateRequests(store.listReads, iteration)) {
    if (rows.length === 0) continue;
    const shown = await showRequests(store.reads, filter.organizationId, rows);
    yield shown.map(format === "csv" ? asCsv : asJsonLine).join("");
  }
}

const columns = [
  "id",
  "at",
  "endpoint",
  "outcome",
  "product_id",
  "product_name",
  "license_id",
  "license_key",
  "customer_name",
  "ip",
  "version",
  "device_id",
  "problem",
  "duration_ms",
  "count",
  "sandbox",
  "facts",
] as const satisfies readonly (keyof ShownRequest)[];

function asCsv(request: ShownRequest): string {
  const { facts, ...members } = request;
  const row = { ...members, facts: facts === null ? null : JSON.stringify(facts) };
  return csvLine(columns.map((name) => row[name]));
}

function asJsonLine(request: ShownRequest): string {
  return `${JSON.stringify(request)}\n`;
}
