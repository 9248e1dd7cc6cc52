import type { Store } from "@countersign/store/store";
import type { AuditLogRow } from "@countersign/store/tables";

/** What the audit log has about this subject, oldest first. */
export function auditOf({ store }: { readonly store: Store }, subjectId: string) {
  const entries = store.reads.selectFrom("audit_log").selectAll();
  return entries.where("subject_id", "=", subjectId).orderBy("id").execute();
}

/** What an entry records, with its values read. */
export function recorded({ action, actor_id: actorId, before, after }: AuditLogRow) {
  return { action, actorId, before: JSON.parse(before ?? "null"), after: JSON.parse(after ?? "null") };
}
