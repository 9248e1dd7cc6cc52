import type { Statement } from "./migration.ts";

/**
 * Parts of keys and names are found through a trigram index of `licenses.search_text`. On SQLite it is in a separate
 * file and updated asynchronously: triggers record here which licenses to index again, by row number. PostgreSQL
 * maintains it with two of its own extensions; without the permission to use them, searches scan page by page and take
 * longer.
 */
export const licenseSearch: readonly Statement[] = [
  {
    sqlite: "create table license_search_changes (number integer primary key, license_row integer not null)",
    // Leaves room in each page for the new version of a row: registering an IP address then touches no index.
    postgres: "alter table licenses set (fillfactor = 85)",
  },
  {
    sqlite: `create trigger licenses_search_added after insert on licenses begin
      insert into license_search_changes (license_row) values (new.rowid);
    end`,
    postgres: `do $$ begin
      create extension if not exists pg_trgm;
      create extension if not exists btree_gin;
      create index licenses_by_text on licenses using gin (organization_id, search_text gin_trgm_ops);
    exception when others then
      raise warning 'Licenses are searched without an index: %', sqlerrm;
    end $$`,
  },
  {
    sqlite: `create trigger licenses_search_changed after update of search_text on licenses
      when old.search_text <> new.search_text begin
      insert into license_search_changes (license_row) values (new.rowid);
    end`,
    postgres: null,
  },
  {
    sqlite: `create trigger licenses_search_removed after delete on licenses begin
      insert into license_search_changes (license_row) values (old.rowid);
    end`,
    postgres: null,
  },
];
