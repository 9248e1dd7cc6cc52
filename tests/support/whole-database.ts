import type { Store } from "@countersign/store/store";
import { sql } from "kysely";

/** Every table with its columns. On SQLite, those of both files. */
export async function tablesOf(store: Store): Promise<Record<string, string[]>> {
  const query =
    store.kind === "sqlite"
      ? sql<{ name: string; column: string }>`select m.name, c.name as "column" from
          (select name from main.sqlite_master where type = 'table' and name not like 'license_search%'
           union all select name from journal.sqlite_master where type = 'table') m,
          pragma_table_info(m.name) c where m.name not like 'sqlite_%'`
      : sql<{ name: string; column: string }>`select table_name as name, column_name as "column"
          from information_schema.columns where table_schema = 'public'`;
  const { rows } = await query.execute(store.reads);
  const tables: Record<string, string[]> = {};
  for (const { name, column } of rows) {
    tables[name] ??= [];
    tables[name].push(column);
  }
  return tables;
}

/** The rows of every table that contain a text, as texts. */
export async function rowsWith(store: Store, text: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const name of Object.keys(await tablesOf(store)).sort()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(store.reads);
    const texts = rows.map((row) => JSON.stringify(row)).filter((row) => row.includes(text));
    if (texts.length > 0) found[withoutDay(name)] = texts.sort();
  }
  return found;
}

/** The tables of a day of the request log count as one. */
export function withoutDay(table: string): string {
  return table.replace(/^(request_log|request_keys)_\d{8}$/, "$1");
}
