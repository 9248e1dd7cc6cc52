import type { Database } from "@countersign/store/store";
import type { Tables } from "@countersign/store/tables";
import { type Selectable, sql, type Updateable } from "kysely";

export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

/** Values of columns, also null. A list stands for any of its values. */
export type Where<Columns> = {
  readonly [Name in keyof Columns]?: Columns[Name] | readonly Columns[Name][];
};

/** The stored rows with these values, sorted by their first column. */
export async function storedRows<Table extends keyof Tables>(
  db: Database,
  table: Table,
  where: Where<Row<Table>>,
): Promise<Row<Table>[]> {
  let query = db.selectFrom(table as "licenses").selectAll();
  for (const [column, value] of Object.entries(where))
    query =
      value === null
        ? query.where(column as "notes", "is", null)
        : query.where(column as "id", "in", [value].flat() as string[]);
  return (await query.orderBy(sql`1`).execute()) as never[];
}

/** The only such row. */
export async function storedRow<Table extends keyof Tables>(
  db: Database,
  table: Table,
  where: Where<Row<Table>>,
): Promise<Row<Table>> {
  const [row, ...others] = await storedRows(db, table, where);
  if (row === undefined || others.length > 0) throw new Error(`${table} does not have one such row.`);
  return row;
}

/** Changes columns of the rows with these values. */
export async function changeRows<Table extends keyof Tables>(
  db: Database,
  table: Table,
  where: Where<Row<Table>>,
  columns: Updateable<Tables[Table]>,
): Promise<void> {
  let query = db.updateTable(table as "licenses").set(columns as object);
  for (const [column, value] of Object.entries(where))
    query =
      value === null
        ? query.where(column as "notes", "is", null)
        : query.where(column as "id", "in", [value].flat() as string[]);
  await query.execute();
}
