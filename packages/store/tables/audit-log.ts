/** Who did what, and when. */
export interface AuditLogTables {
  audit_log: AuditLogRow;
  /** Until when entries of an organization were archived and deleted. */
  audit_log_cutoffs: {
    organization_id: string;
    deleted_before: number;
  };
}

export interface AuditLogRow {
  id: string;
  at: number;
  /** Null for entries about only the platform or a user. */
  organization_id: string | null;
  /** `platform_admin` for actions of a user as the operator of the installation. */
  actor_kind: "person" | "token" | "customer" | "platform_admin" | "command_line" | "system";
  actor_id: string | null;
  actor_name: string;
  /** The access token that was used, if any. */
  access_token_id: string | null;
  /** Such as `license.revoked`. */
  action: string;
  subject_kind: string;
  subject_id: string;
  subject_name: string | null;
  /** The changed members, as a JSON object; null for something new or deleted. */
  before: string | null;
  after: string | null;
  ip: string | null;
  request_id: string | null;
}
