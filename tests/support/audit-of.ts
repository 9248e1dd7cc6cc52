import type { Store } from "@countersign/store/store";

/** What the audit log has about this subject, oldest first. */
export function auditOf({ store }: { readonly store: Store }, subjectId: string) {
  const entries = store.reads.selectFrom("audit_log").selectAll();
  return entries.where("subject_id", "=", subjectId).orderBy("id").execute();
}
