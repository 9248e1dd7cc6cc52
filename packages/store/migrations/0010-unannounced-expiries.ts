import { dayMs } from "@countersign/domain/dates/lengths";
import type { Migration } from "./migration.ts";

/** Keeps a license that expires within the warning period of its product. `updated_at` is when it was written. */
const keepNew = `insert into unannounced_expiries (license_id)
  select new.id from products p
  where p.id = new.product_id and new.revoked_at is null and new.expires_at > new.updated_at
    and new.expires_at <= new.updated_at + p.expiring_soon_days * cast(${dayMs} as bigint)
  on conflict (license_id) do nothing;`;

const added = "create trigger licenses_expiry_added after insert on licenses";
const changed = "create trigger licenses_expiry_changed after update of expires_at, revoked_at on licenses";

/**
 * The check of expiries finds a license when its warning period begins. One that is created, renewed, reinstated or
 * used for the first time within that period would never be found, so the write itself keeps it for the next check.
 */
export const unannouncedExpiries: Migration = {
  name: "0010-unannounced-expiries",
  statements: [
    "create table unannounced_expiries (license_id text primary key)",
    {
      sqlite: `${added} when new.expires_at is not null begin ${keepNew} end`,
      postgres: `create function keep_unannounced_expiry() returns trigger language plpgsql as $$ begin
        ${keepNew}
        return null;
      end $$`,
    },
    {
      sqlite: `${changed}
        when new.expires_at is not null
          and (new.expires_at is not old.expires_at or new.revoked_at is not old.revoked_at)
        begin ${keepNew} end`,
      postgres: `${changed} for each row
        when (new.expires_at is not null
          and (new.expires_at is distinct from old.expires_at or new.revoked_at is distinct from old.revoked_at))
        execute function keep_unannounced_expiry()`,
    },
    {
      sqlite: null,
      postgres: `${added} for each row when (new.expires_at is not null)
        execute function keep_unannounced_expiry()`,
    },
  ],
};
