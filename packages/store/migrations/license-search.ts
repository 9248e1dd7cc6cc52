import type { Statement } from "./migration.ts";

/**
 * Parts of keys and names are found by an index over every three characters in a row of `licenses.search_text`. On
 * SQLite it lies in a file of its own and follows behind: triggers note here which licenses are to be looked at again,
 * by row number. PostgreSQL keeps it with two of its own extensions; where it may not have them, searches read on in
 * pages and take longer.
 */
export const licenseSearch: readonly Statement[] = [
  {
    sqlite: "create table license_search_changes (number integer primary key, license_row integer not null)",
    // Room in each page for the new version of a row: an address that takes its place then touches no index.
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
