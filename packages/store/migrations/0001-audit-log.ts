import type { Statement } from "./migration.ts";

/** The name of an erased customer, in entries of what they did themselves. */
export const erasedActor = "Erased customer";

/**
 * Entries cannot be changed, not even by someone who accesses the tables by mistake. Only when an organization is
 * deleted, or one of its customers is erased, can its entries lose what they were about; who did what and when still
 * stays.
 */
const kept = [
  "id",
  "at",
  "organization_id",
  "actor_kind",
  "actor_id",
  "access_token_id",
  "action",
  "subject_kind",
  "subject_id",
  "request_id",
];

function emptied(same: string): string {
  const unchanged = (columns: readonly string[]) =>
    columns.map((column) => `new.${column} ${same} old.${column}`).join(" and ");
  return `new.before is null and new.after is null and new.subject_name is null
    and old.subject_kind <> 'organization' and ${unchanged(kept)}
    and (
      ${unchanged(["actor_name", "ip"])}
      and exists (select 1 from organizations where id = old.organization_id and deleted_at is not null)
      or exists (select 1 from customer_erasures e
        where e.organization_id = old.organization_id
          and (old.at <= e.requested_at or old.subject_id = e.customer_id or exists
            (select 1 from erased_licenses l where l.customer_id = e.customer_id and l.license_id = old.subject_id))
          and (${unchanged(["actor_name", "ip"])}
            or old.actor_kind = 'customer'
              and (old.actor_id = e.customer_id or e.former_ids like '%' || old.actor_id || '%')
              and new.actor_name = '${erasedActor}' and new.ip is null)))`;
}

const isArchived = `exists (select 1 from audit_log_cutoffs c
  where c.organization_id = old.organization_id and old.at < c.deleted_before)`;

/** Who did what, and when. */
export const auditLog: readonly Statement[] = [
  `create table audit_log (
    id text primary key,
    at bigint not null,
    organization_id text,
    actor_kind text not null
      check (actor_kind in ('person', 'token', 'customer', 'platform_admin', 'command_line', 'system')),
    actor_id text,
    actor_name text not null,
    access_token_id text,
    action text not null,
    subject_kind text not null,
    subject_id text not null,
    subject_name text,
    before text,
    after text,
    ip text,
    request_id text
  ) /* clustered */`,
  "create index audit_log_by_time on audit_log (at, id)",
  "create index audit_log_by_organization on audit_log (organization_id, at, id)",
  "create index audit_log_by_action on audit_log (organization_id, action, at, id)",
  "create index audit_log_by_subject on audit_log (subject_id, at, id)",
  "create index audit_log_by_actor on audit_log (actor_id, at, id)",
  // How far the entries of an organization were archived: these can be deleted.
  `create table audit_log_cutoffs (
    organization_id text primary key,
    deleted_before bigint not null
  )`,
  {
    sqlite: `create trigger audit_log_is_not_changed before update on audit_log when not (${emptied("is")}) begin
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
    postgres: `create trigger audit_log_is_not_changed before update on audit_log
        for each row execute function audit_log_is_append_only()`,
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
];
