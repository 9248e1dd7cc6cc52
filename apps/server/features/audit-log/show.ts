import { concealed } from "@countersign/contract/api/concealed";
import type { auditEntry } from "@countersign/contract/manage/audit-log";
import { csvLine } from "@countersign/domain/csv/csv";
import { isoTime } from "@countersign/domain/dates/iso-time";
import {
  type AuditFilter,
  type AuditPosition,
  auditEntries,
  type FoundEntries,
} from "@countersign/store/queries/audit-log/entries";
import type { Database } from "@countersign/store/store";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";

import type { z } from "zod";

export type ShownEntry = z.input<typeof auditEntry>;

function showEntry(row: AuditLogRow): ShownEntry {
  return {
    id: row.id,
    at: isoTime(row.at),
    organization_id: row.organization_id,
    actor: {
      kind: row.actor_kind,
      id: row.actor_id,
      name: row.actor_name,
      access_token_id: row.access_token_id,
    },
    action: row.action,
    subject: { kind: row.subject_kind, id: row.subject_id, name: row.subject_name },
    before: row.before === null ? null : JSON.parse(row.before),
    after: row.after === null ? null : JSON.parse(row.after),
    ip: row.ip,
    request_id: row.request_id,
  };
}

/**
 * What platform admins can see: as when they look at an organization, nothing that its members keep secret. Their own
 * entries are complete.
 */
export function showToPlatform(row: AuditLogRow): ShownEntry {
  const entry = showEntry(row);
  if (row.organization_id === null || row.actor_kind === "platform_admin") return entry;
  return { ...entry, before: concealedMembers(entry.before), after: concealedMembers(entry.after) };
}

function concealedMembers(members: ShownEntry["before"]): ShownEntry["before"] {
  return members === null ? null : (concealed(members) as ShownEntry["before"]);
}

/** What an organization can see: the operator's IP address is not shown. */
export function showToOrganization(row: AuditLogRow): ShownEntry {
  const entry = showEntry(row);
  if (row.actor_kind !== "platform_admin") return entry;
  return { ...entry, ip: null, actor: { ...entry.actor, access_token_id: null } };
}

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
