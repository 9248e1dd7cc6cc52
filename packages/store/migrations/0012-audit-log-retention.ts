import { minAuditLogDays } from "@countersign/domain/audit-log/audit-log-days";
import type { Migration } from "./migration.ts";

const isArchived = `exists (select 1 from audit_log_cutoffs c
  where c.organization_id = old.organization_id and old.at < c.deleted_before)`;

/**
 * How long the entries of an organization are kept, null for ever. An entry can be deleted only once it is older than
 * what was archived of its organization, which `audit_log_cutoffs` says. A server of an earlier release deletes none.
 */
export const auditLogRetention: Migration = {
  name: "0012-audit-log-retention",
  statements: [
    `alter table plans add column audit_log_days integer check (audit_log_days >= ${minAuditLogDays})`,
    `alter table organizations add column audit_log_days_override integer
      check (audit_log_days_override >= ${minAuditLogDays})`,
    `create index organizations_with_audit_log_days on organizations (audit_log_days_override)
      where audit_log_days_override is not null`,
    `create table audit_log_cutoffs (
      organization_id text primary key,
      deleted_before bigint not null
    )`,
    {
      sqlite: "drop trigger audit_log_is_not_shortened",
      postgres: "drop trigger audit_log_is_not_shortened on audit_log",
    },
    {
      sqlite: `create trigger audit_log_is_not_shortened before delete on audit_log when not ${isArchived} begin
        select raise(abort, 'The audit log is append-only.');
      end`,
      postgres: `create function audit_log_keeps_unarchived() returns trigger language plpgsql as $$ begin
        if ${isArchived} then return old; end if;
        raise exception 'The audit log is append-only.';
      end $$`,
    },
    {
      sqlite: null,
      postgres: `create trigger audit_log_is_not_shortened before delete on audit_log
        for each row execute function audit_log_keeps_unarchived()`,
    },
    {
      sqlite: null,
      postgres: `create trigger audit_log_is_not_truncated before truncate on audit_log
        for each statement execute function audit_log_is_append_only()`,
    },
  ],
};
