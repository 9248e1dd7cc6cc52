import { StoreProblem } from "../errors/problem.ts";

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

/** A schema from a later release may mean something else, so it is not touched. */
export function newerThanThis(applied: readonly string[], known: readonly Migration[]): void {
  refuseUnfinishedCopy(applied);
  const unknown = applied.find((name) => !known.some((migration) => migration.name === name));
  if (unknown !== undefined) {
    throw new StoreProblem(
      `The database has migration ${unknown}, which this release does not know. Start the newer release that applied it.`,
    );
  }
}

/** In `schema_migrations`: servers, also of earlier releases, refuse a database with a migration they do not know. */
export const unfinishedCopy = "unfinished-copy";

function refuseUnfinishedCopy(applied: readonly string[]): void {
  if (!applied.includes(unfinishedCopy)) return;
  throw new StoreProblem(
    "This database is an unfinished copy. Run the same countersign copy command again: it continues where it stopped.",
  );
}

/** A migration gave up waiting for a lock, so that others do not wait behind it, and will be tried again. */
export interface LockWait {
  readonly migration: string;
  /** The sessions that hold the lock, as text; empty if they could not be determined. */
  readonly heldBy: readonly string[];
  readonly retryMs: number;
}

export interface MigrationOptions {
  readonly migrationWaits?: (wait: LockWait) => void;
}
