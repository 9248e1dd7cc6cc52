import type { Store } from "@countersign/store/store";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import { storedRows } from "./stored-rows.ts";
import { newId } from "./test-organization.ts";

/** What the audit log has about this subject, oldest first. */
export function auditOf({ store }: { readonly store: Store }, subjectId: string) {
  return storedRows(store.reads, "audit_log", { subject_id: subjectId });
}

/** What an entry records, with its values read. */
export function recorded({ action, actor_id: actorId, before, after }: AuditLogRow) {
  return { action, actorId, before: JSON.parse(before ?? "null"), after: JSON.parse(after ?? "null") };
}

/** An entry about no organization. */
export function auditRow(settings: Partial<AuditLogRow>): AuditLogRow {
  return {
    ...{ id: newId(), at: Date.UTC(2024, 0, 1), organization_id: null, access_token_id: null },
    ...{ actor_kind: "person", actor_id: "ada", actor_name: "Ada", action: "license.revoked" },
    ...{ subject_kind: "license", subject_id: "subject", subject_name: null },
    ...{ before: null, after: null, ip: null, request_id: null },
    ...settings,
  };
}
