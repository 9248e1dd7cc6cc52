/**
 * One step of the schema. The statements run in one transaction and mean the same on both databases. A table marked
 * with a comment "clustered" is kept by SQLite in the order of its primary key, without a second tree for its rows;
 * PostgreSQL has no such thing and reads the comment as a comment. A text marked with a comment "by bytes" stands on
 * PostgreSQL, too, in the order of its bytes, which is SQLite's own: texts that begin alike are then found by an index.
 */
export interface Migration {
  readonly name: string;
  readonly statements: readonly Statement[];
}

/** For what the two databases say in different words, such as a trigger. Null where one of them needs nothing. */
export type Statement = string | { readonly sqlite: string | null; readonly postgres: string | null };

export function statementsFor(migration: Migration, kind: "sqlite" | "postgres"): string[] {
  return migration.statements.flatMap((statement) => {
    const text = typeof statement === "string" ? statement : statement[kind];
    if (text === null) return [];
    return [kind === "postgres" ? text.replaceAll("/* by bytes */", 'collate "C"') : text];
  });
}
