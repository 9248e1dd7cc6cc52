/** Who, what, to what and when, by the names of the API; and the entry that is open. */
export interface AuditSearch {
  actor_id?: string | undefined;
  action?: string | undefined;
  subject_kind?: string | undefined;
  subject_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  entry?: string | undefined;
}
