import { concealed } from "@countersign/contract/api/concealed";
import type { auditEntry } from "@countersign/contract/manage/audit-log";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import type { z } from "zod";
import { iso } from "../../api/page.ts";

export type ShownEntry = z.input<typeof auditEntry>;

function showEntry(row: AuditLogRow): ShownEntry {
  return {
    id: row.id,
    at: iso(row.at),
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
