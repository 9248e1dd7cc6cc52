import type { Statement } from "./migration.ts";

/**
 * Entries cannot be changed, not even by someone who accesses the tables by mistake. Only when an organization is
 * deleted can its entries lose what they were about; who did what and when still stays.
 */
const kept = [
  "id",
  "at",
  "organization_id",
  "actor_kind",
  "actor_id",
  "actor_name",
  "access_token_id",
  "action",
  "subject_kind",
  "subject_id",
  "ip",
  "request_id",
];

function emptied(same: string): string {
  return `new.before is null and new.after is null and new.subject_name is null
    and old.subject_kind <> 'organization'
    and ${kept.map((column) => `new.${column} ${same} old.${column}`).join(" and ")}
    and exists (select 1 from organizations where id = old.organization_id and deleted_at is not null)`;
}

export const auditLogGuards: readonly Statement[] = [
  {
    sqlite: `create trigger audit_log_is_not_changed before update on audit_log
      when not (${emptied("is")}) begin
        select raise(abort, 'The audit log is append-only.');
      end`,
    postgres: `create function audit_log_is_append_only() returns trigger language plpgsql as $$
      begin
        if tg_op = 'UPDATE' then
          if ${emptied("is not distinct from")} then return new; end if;
        end if;
        raise exception 'The audit log is append-only.';
      end $$`,
  },
  {
    sqlite: `create trigger audit_log_is_not_shortened before delete on audit_log begin
      select raise(abort, 'The audit log is append-only.');
    end`,
    postgres: `create trigger audit_log_is_not_shortened before delete or truncate on audit_log
      for each statement execute function audit_log_is_append_only()`,
  },
  {
    sqlite: null,
    postgres: `create trigger audit_log_is_not_changed before update on audit_log
      for each row execute function audit_log_is_append_only()`,
  },
];
