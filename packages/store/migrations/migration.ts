/**
 * One step of the schema. The statements run in one transaction and mean the same on both databases. SQLite stores a
 * table marked with the comment "clustered" in the order of its primary key, without a second tree for its rows;
 * PostgreSQL has no equivalent and ignores the comment. Text marked with the comment "by bytes" is sorted by its bytes
 * on PostgreSQL too, as SQLite does: an index then finds texts by prefix.
 */
export interface Migration {
  readonly name: string;
  readonly statements: readonly Statement[];
}

/** For statements with different syntax on the two databases, such as a trigger. Null if one of them needs nothing. */
export type Statement = string | { readonly sqlite: string | null; readonly postgres: string | null };

export function statementsFor(migration: Migration, kind: "sqlite" | "postgres"): string[] {
  return migration.statements.flatMap((statement) => {
    const text = typeof statement === "string" ? statement : statement[kind];
    if (text === null) return [];
    return [kind === "postgres" ? text.replaceAll("/* by bytes */", 'collate "C"') : text];
  });
}
