import { csvLine } from "@countersign/domain/csv/cell";
import {
  type AuditFilter,
  type AuditPosition,
  auditEntries,
  type FoundEntries,
} from "@countersign/store/queries/audit-log/entries";
import type { Database } from "@countersign/store/store";
import { type ShownEntry, showToOrganization } from "./show.ts";

type ExportFormat = "csv" | "jsonl";

/** How much is read at a time: small enough not to delay other requests. */
const rowsAtATime = 500;

/** The log as a file, in parts. */
export async function* exportedLog(
  db: Database,
  filter: AuditFilter,
  format: ExportFormat,
): AsyncGenerator<string, void> {
  if (format === "csv") yield csvLine(columns);
  let after: AuditPosition | null = null;
  for (;;) {
    const { rows, searchedTo }: FoundEntries = await auditEntries(db, filter, { after, limit: rowsAtATime });
    yield rows
      .map(showToOrganization)
      .map(format === "csv" ? asCsv : asJsonLine)
      .join("");
    if (rows.length < rowsAtATime && searchedTo === null) return;
    after = searchedTo ?? rows.at(-1) ?? null;
  }
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

export function asJsonLine(entry: ShownEntry): string {
  return `${JSON.stringify(entry)}\n`;
}
