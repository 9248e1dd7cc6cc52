/** The filters, by their API names, and the open entry. */
export interface AuditSearch {
  actor_id?: string | undefined;
  action?: string | undefined;
  subject_kind?: string | undefined;
  subject_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  entry?: string | undefined;
}
