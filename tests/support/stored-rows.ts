import type { Database } from "@countersign/store/store";
import type { Tables } from "@countersign/store/tables";
import { sql } from "kysely";

/** Values of columns. A list stands for any of its values. */
export type Where<Row> = { readonly [Column in keyof Row]?: Row[Column] | readonly Row[Column][] };

/** The stored rows with these values, sorted by their first column. */
export async function storedRows<Table extends keyof Tables>(
  db: Database,
  table: Table,
  where: Where<Tables[Table]>,
): Promise<Tables[Table][]> {
  let query = db.selectFrom(table as "licenses").selectAll();
  for (const [column, value] of Object.entries(where))
    query = query.where(column as "id", "in", [value].flat() as string[]);
  return (await query.orderBy(sql`1`).execute()) as never[];
}

/** The only such row. */
export async function storedRow<Table extends keyof Tables>(
  db: Database,
  table: Table,
  where: Where<Tables[Table]>,
): Promise<Tables[Table]> {
  const [row, ...others] = await storedRows(db, table, where);
  if (row === undefined || others.length > 0) throw new Error(`${table} does not have one such row.`);
  return row;
}
