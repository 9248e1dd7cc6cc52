import { csvLine } from "@countersign/domain/csv/cell";
import { iterateRequests, type RequestIteration } from "@countersign/store/queries/requests/iterate";
import type { Store } from "@countersign/store/store";
import { type ShownRequest, showRequests } from "./show.ts";

export type ExportFormat = "csv" | "jsonl";

/** How much is read at a time: small enough not to delay other requests. */
const rowsAtATime = 500;

/** The requests as a file, read while it is sent: as fast as the client accepts it, and never all in memory. */
export function exportedRequests(
  store: Store,
  { filter, range }: Pick<RequestIteration, "filter" | "range">,
  format: ExportFormat,
): Response {
  const encoder = new TextEncoder();
  const iteration = { filter, range, order: "newest", rowsTogether: rowsAtATime } as const;
  const lists = iterateRequests(store.listReads, iteration);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (format === "csv") controller.enqueue(encoder.encode(csvLine(columns)));
    },
    pull: async (controller) => {
      for (;;) {
        const { value: rows, done } = await lists.next();
        if (done) return controller.close();
        if (rows.length === 0) continue;
        const shown = await showRequests(store.reads, filter.organizationId, rows);
        controller.enqueue(encoder.encode(shown.map(format === "csv" ? asCsv : asJsonLine).join("")));
        return;
      }
    },
    cancel: async () => {
      await lists.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson; charset=utf-8",
      "content-disposition": `attachment; filename="requests.${format}"`,
      "cache-control": "no-store",
    },
  });
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
