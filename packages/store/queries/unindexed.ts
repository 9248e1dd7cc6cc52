import { type RawBuilder, sql } from "kysely";

/**
 * A text column, compared after its rows were found in another way. Without statistics, SQLite expects ten rows of an
 * organization: for more IDs than that, it would read all rows of the organization instead of those with the IDs.
 */
export function unindexed(column: string): RawBuilder<string> {
  return sql<string>`${sql.ref(column)} || ''`;
}
