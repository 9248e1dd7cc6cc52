/**
 * One step of the schema. The statements run in one transaction and mean the same on both databases. A table marked
 * with a comment "clustered" is kept by SQLite in the order of its primary key, without a second tree for its rows;
 * PostgreSQL has no such thing and reads the comment as a comment.
 */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}
