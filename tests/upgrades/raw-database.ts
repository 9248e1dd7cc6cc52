import { DatabaseSync } from "node:sqlite";
import type { DatabaseLocation } from "@countersign/store/databases/open";
import { sqliteFiles } from "@countersign/store/sqlite/files";
import pg from "pg";
import { withoutDay } from "../support/whole-database.ts";

type Row = Readonly<Record<string, unknown>>;

/** A database without anything that knows its schema: any release may have migrated it. */
export interface RawDatabase {
  readonly kind: DatabaseLocation["kind"];
  query(sql: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

export async function openRaw(location: DatabaseLocation): Promise<RawDatabase> {
  if (location.kind === "postgres") {
    const client = new pg.Client({ connectionString: location.url });
    await client.connect();
    return {
      kind: "postgres",
      query: async (sql) => (await client.query(sql)).rows,
      close: () => client.end(),
    };
  }
  const files = sqliteFiles(location.folder);
  const database = new DatabaseSync(files.main);
  database.prepare("attach database ? as journal").run(files.journal);
  return {
    kind: "sqlite",
    query: async (sql) => database.prepare(sql).all(),
    close: async () => database.close(),
  };
}

export interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  /** Such as "not null default 0". */
  readonly constraint: string;
}

const sqliteObjects = `(select * from main.sqlite_master union all select * from journal.sqlite_master)
  where name not like 'sqlite_%'`;

export async function columnsOf(database: RawDatabase): Promise<Column[]> {
  const rows = await database.query(
    database.kind === "sqlite"
      ? `select o.name as "table", c.name, c.type, c."notnull" as required, c.dflt_value as standard
         from (select name from ${sqliteObjects} and type = 'table') o, pragma_table_info(o.name) c
         order by 1, c.cid`
      : `select table_name as "table", column_name as name, data_type as type,
           case is_nullable when 'NO' then 1 else 0 end as required, column_default as standard
         from information_schema.columns where table_schema = 'public' order by 1, ordinal_position`,
  );
  return rows.map(({ table, name, type, required, standard }) => ({
    table: String(table),
    name: String(name),
    type: String(type),
    constraint: `${required ? "not null" : ""}${standard === null ? "" : ` default ${standard}`}`.trim(),
  }));
}

/**
 * The schema as text, by what each part is called: columns, indexes, triggers and functions; and, on PostgreSQL, which
 * tells them apart, constraints. The tables of a day of the request log are left out.
 */
export async function schemaOf(database: RawDatabase): Promise<Record<string, string>> {
  const others = await database.query(
    database.kind === "sqlite"
      ? `select type || ' ' || name as name, sql as definition, tbl_name as "table" from ${sqliteObjects} and type <> 'table'`
      : `select 'index ' || indexname as name, indexdef as definition, tablename as "table"
           from pg_indexes where schemaname = 'public'
         union all select 'constraint ' || conname || ' on ' || conrelid::regclass, pg_get_constraintdef(oid), conrelid::regclass::text
           from pg_constraint where connamespace = 'public'::regnamespace and conrelid <> 0 and contype <> 'n'
         union all select 'trigger ' || tgname || ' on ' || tgrelid::regclass, pg_get_triggerdef(oid), tgrelid::regclass::text
           from pg_trigger where not tgisinternal
         union all select 'function ' || p.proname, pg_get_functiondef(p.oid), ''
           from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and not exists (
             select 1 from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
  );
  const parts = [
    ...(await columnsOf(database)).map(({ table, name, type, constraint }) => ({
      name: `column ${table}.${name}`,
      definition: `${type} ${constraint}`.trim(),
      table,
    })),
    ...others,
  ];
  return Object.fromEntries(
    parts
      .filter(({ table }) => withoutDay(String(table)) === table)
      // It exists only if the server offers an extension.
      .filter(({ name }) => name !== "index licenses_by_text")
      .map(({ name, definition }): [string, string] => [
        String(name),
        String(definition).replace(/\s+/g, " "),
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** How many rows each table has. */
export async function rowsOf(database: RawDatabase): Promise<Record<string, number>> {
  const tables = [...new Set((await columnsOf(database)).map(({ table }) => table))];
  const counts = tables.map((table) => `select '${table}' as name, count(*) as rows from ${table}`);
  const rows = await database.query(counts.join(" union all "));
  return Object.fromEntries(rows.map(({ name, rows: count }) => [String(name), Number(count)]));
}
