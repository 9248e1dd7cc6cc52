import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseLocation } from "@countersign/store/open";
import pg from "pg";

/** Every byte in SQLite's folder, or every row of every PostgreSQL table. */
export async function everythingStored(location: DatabaseLocation): Promise<Buffer> {
  if (location.kind === "sqlite") return everyFile(location.folder);
  const tables = await tableTexts(location.url);
  return Buffer.from([...tables.values()].join("\n"));
}

/** Every byte of every file under a folder. */
export function everyFile(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return Buffer.concat(files.map((file) => readFileSync(join(file.parentPath, file.name))));
}

/** The contents of each PostgreSQL table, as text. */
async function tableTexts(url: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    const texts = new Map<string, string>();
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      texts.set(name, rows.map(({ row }) => row).join("\n"));
    }
    return texts;
  } finally {
    await client.end();
  }
}
