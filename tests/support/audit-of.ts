import type { Store } from "@countersign/store/store";
import type { AuditLogRow } from "@countersign/store/tables";
import { storedRows } from "./stored-rows.ts";

/** What the audit log has about this subject, oldest first. */
export function auditOf({ store }: { readonly store: Store }, subjectId: string) {
  return storedRows(store.reads, "audit_log", { subject_id: subjectId });
}

/** What an entry records, with its values read. */
export function recorded({ action, actor_id: actorId, before, after }: AuditLogRow) {
  return { action, actorId, before: JSON.parse(before ?? "null"), after: JSON.parse(after ?? "null") };
}
