import type { Store } from "@countersign/store/store";
import type { Tables } from "@countersign/store/tables";
import type { Selectable, Updateable } from "kysely";

type TableWithId = {
  [Table in keyof Tables]: Tables[Table] extends { id: unknown } ? Table : never;
}[keyof Tables];

/** Changes columns of a row directly in the database, to arrange what would take long otherwise. */
export async function changeRow<Table extends TableWithId>(
  store: Pick<Store, "transaction">,
  table: Table,
  id: string,
  columns: Updateable<Tables[Table]>,
): Promise<void> {
  await store.transaction((db) =>
    db
      .updateTable(table as "licenses")
      .set(columns as object)
      .where("id", "=", id)
      .execute(),
  );
}

/** The rows of a table that have these values, in the order of their IDs. */
export async function rowsOf<Table extends TableWithId>(
  store: Pick<Store, "reads">,
  table: Table,
  values: Partial<Selectable<Tables[Table]>>,
): Promise<Selectable<Tables[Table]>[]> {
  let query = store.reads.selectFrom(table as "licenses").selectAll();
  for (const [column, value] of Object.entries(values))
    query = query.where(column as "id", "=", value as string);
  return (await query.orderBy("id").execute()) as Selectable<Tables[Table]>[];
}
