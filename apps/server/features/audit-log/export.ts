import { csvLine } from "@countersign/domain/csv/cell";
import { type AuditFilter, auditEntries } from "@countersign/store/queries/audit-log/entries";
import type { Database } from "@countersign/store/store";
import { type ShownEntry, showToOrganization } from "./show.ts";

export type ExportFormat = "csv" | "jsonl";

/** How much is read at a time: small enough not to delay other requests. */
const rowsAtATime = 500;

/** The log as a file, read while it is sent: as fast as the client accepts it, and never all in memory. */
export function exportedLog(db: Database, filter: AuditFilter, format: ExportFormat): Response {
  const encoder = new TextEncoder();
  let after: { at: number; id: string } | null = null;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (format === "csv") controller.enqueue(encoder.encode(csvLine(columns)));
    },
    pull: async (controller) => {
      const rows = await auditEntries(db, filter, { after, limit: rowsAtATime });
      const last = rows.at(-1);
      if (last !== undefined) {
        after = { at: last.at, id: last.id };
        const entries = rows.map(showToOrganization);
        controller.enqueue(encoder.encode(entries.map(format === "csv" ? asCsv : asJsonLine).join("")));
      }
      if (rows.length < rowsAtATime) controller.close();
    },
  });
  return new Response(body, {
    headers: {
      "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson; charset=utf-8",
      "content-disposition": `attachment; filename="audit-log.${format}"`,
      "cache-control": "no-store",
    },
  });
}

const columns = [
  "id",
  "at",
  "actor_kind",
  "actor_id",
  "actor_name",
  "access_token_id",
  "action",
  "subject_kind",
  "subject_id",
  "subject_name",
  "before",
  "after",
  "ip",
  "request_id",
];

function asCsv({ id, at, actor, action, subject, before, after, ip, request_id }: ShownEntry): string {
  return csvLine([
    id,
    at,
    actor.kind,
    actor.id,
    actor.name,
    actor.access_token_id,
    action,
    subject.kind,
    subject.id,
    subject.name,
    before === null ? null : JSON.stringify(before),
    after === null ? null : JSON.stringify(after),
    ip,
    request_id,
  ]);
}

function asJsonLine(entry: ShownEntry): string {
  return `${JSON.stringify(entry)}\n`;
}
