import type { Database } from "@countersign/store/store";
import type { Tables } from "@countersign/store/tables";
import { type ExpressionBuilder, type Selectable, sql, type Updateable } from "kysely";

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
  const query = db
    .selectFrom(table as "licenses")
    .selectAll()
    .where(matches(where));
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
  await db
    .updateTable(table as "licenses")
    .set(columns as object)
    .where(matches(where))
    .execute();
}

function matches(where: object) {
  return ({ eb, and }: ExpressionBuilder<Tables, "licenses">) =>
    and(
      Object.entries(where).map(([column, value]) =>
        value === null
          ? eb(column as "notes", "is", null)
          : eb(column as "id", "in", [value].flat() as string[]),
      ),
    );
}
