import type { Statement } from "./migration.ts";

/**
 * An index over every three characters in a row of `licenses.search_text`, so that a part of a key or a name is found
 * without reading all licenses. On SQLite triggers keep it true, and its rows have the row numbers of the licenses:
 * these are kept by `vacuum into`, which makes backups, because the table has indexes. PostgreSQL does the same with
 * two of its own extensions; where it may not have them, searches read on in pages and take longer.
 */
export const licenseSearch: readonly Statement[] = [
  {
    sqlite: `create virtual table license_search using fts5
      (search_text, content='', contentless_delete=1, tokenize='trigram')`,
    // Room in each page for the new version of a row: an address that takes its place then touches no index.
    postgres: "alter table licenses set (fillfactor = 85)",
  },
  {
    sqlite: `insert into license_search (rowid, search_text)
      select rowid, ${scoped("licenses")} from licenses`,
    postgres: `do $$ begin
      create extension if not exists pg_trgm;
      create extension if not exists btree_gin;
      create index licenses_by_text on licenses using gin (organization_id, search_text gin_trgm_ops);
    exception when others then
      raise warning 'Licenses are searched without an index: %', sqlerrm;
    end $$`,
  },
  {
    sqlite: `create trigger licenses_search_added after insert on licenses begin
      insert into license_search (rowid, search_text) values (new.rowid, ${scoped("new")});
    end`,
    postgres: null,
  },
  {
    sqlite: `create trigger licenses_search_changed after update of search_text on licenses
      when old.search_text <> new.search_text begin
      delete from license_search where rowid = old.rowid;
      insert into license_search (rowid, search_text) values (new.rowid, ${scoped("new")});
    end`,
    postgres: null,
  },
  {
    sqlite: `create trigger licenses_search_removed after delete on licenses begin
      delete from license_search where rowid = old.rowid;
    end`,
    postgres: null,
  },
];

/**
 * The text, and before it three characters that stand for the organization and occur in no text that people write: a
 * search names them too, and so never wades through what others have. See `organizationMark` in sqlite/search.ts.
 */
function scoped(row: string): string {
  const digit = (place: number) => `unicode(substr(${row}.organization_id, ${-place}, 1))`;
  const mark = [1, 3, 5].map((place) => `57344 + 64 * (${digit(place)} & 63) + (${digit(place + 1)} & 63)`);
  return `char(${mark.join(", ")}) || char(10) || ${row}.search_text`;
}
