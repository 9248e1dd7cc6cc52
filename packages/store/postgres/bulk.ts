import { CompiledQuery, type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Bulk, BulkSession } from "../store.ts";
import type { Tables } from "../tables.ts";

/** Rows are sent as one JSON text, which the database unpacks by the table's own columns. */
export class PostgresBulk implements Bulk {
  async insert(
    db: Kysely<Tables>,
    table: string,
    rows: readonly object[],
    onConflict?: string,
  ): Promise<number> {
    const [first] = rows;
    if (first === undefined) return 0;
    const columns = Object.keys(first)
      .map((column) => `"${column}"`)
      .join();
    const { numAffectedRows } = await db.executeQuery(
      CompiledQuery.raw(
        `insert into ${table} (${columns})
          select ${columns} from json_populate_recordset(null::${table}, $1::json)
          ${onConflict === undefined ? "" : `on conflict ${onConflict}`}`,
        [JSON.stringify(rows)],
      ),
    );
    return Number(numAffectedRows ?? 0);
  }

  /** An array and not a query: a query is joined, in an order that depends on how few rows the planner expects. */
  among(column: string, values: readonly string[]): RawBuilder<SqlBool> {
    return sql<SqlBool>`${sql.ref(column)} = any (${values}::text[])`;
  }

  beginSession(): BulkSession {
    return { between: async () => {}, over: () => {} };
  }

  /** In the order in which validations lock them, to avoid deadlocks. */
  async lockLicenses(db: Kysely<Tables>, ids: readonly string[]): Promise<void> {
    await db.executeQuery(
      CompiledQuery.raw("select id from licenses where id = any ($1::text[]) order by id for update", [ids]),
    );
  }
}
