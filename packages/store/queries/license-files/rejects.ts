import type { Bulk, Database } from "../../store.ts";
import type { ImportRejectRow } from "../../tables/license-files.ts";

/** Existing ones stay: a check that starts over finds the same rows. */
export async function addRejects(db: Database, bulk: Bulk, rows: readonly ImportRejectRow[]): Promise<void> {
  if (rows.length > 0)
    await bulk.insert(
      db,
      "import_rejects",
      rows,
      "(import_id, number) do update set errors = excluded.errors",
    );
}

export async function rejectsOf(
  db: Database,
  importId: string,
  page: { readonly after: number; readonly limit: number },
): Promise<ImportRejectRow[]> {
  return db
    .selectFrom("import_rejects")
    .selectAll()
    .where("import_id", "=", importId)
    .where("number", ">", page.after)
    .orderBy("number")
    .limit(page.limit)
    .execute();
}

export async function rejectedHeader(db: Database, importId: string): Promise<string[]> {
  const row = await db
    .selectFrom("import_rejects")
    .select("cells")
    .where("import_id", "=", importId)
    .where("number", "=", 0)
    .executeTakeFirst();
  return row === undefined ? [] : (JSON.parse(row.cells) as string[]);
}

/** Removes up to `limit` of them, and returns whether there were any. */
export async function removeSomeRejects(db: Database, importId: string, limit: number): Promise<boolean> {
  const numbers = db
    .selectFrom("import_rejects")
    .select("number")
    .where("import_id", "=", importId)
    .orderBy("number")
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom("import_rejects")
    .where("import_id", "=", importId)
    .where("number", "in", numbers)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
