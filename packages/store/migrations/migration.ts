import { compareVersions, parseVersion } from "@countersign/domain/versions/version";
import { StoreProblem } from "../errors/problem.ts";
import manifest from "../package.json" with { type: "json" };

/** Of this code. All packages have the same. */
export const thisRelease: string = manifest.version;

/**
 * One step of the schema. The statements run in one transaction and mean the same on both databases. SQLite stores a
 * table marked with the comment "clustered" in the order of its primary key, without a second tree for its rows;
 * PostgreSQL has no equivalent and ignores the comment. Text marked with the comment "by bytes" is sorted by its bytes
 * on PostgreSQL too, as SQLite does: an index then finds texts by prefix.
 */
export interface Migration {
  readonly name: string;
  /**
   * `expand` only adds, so that servers of the release before keep running, and start, on the migrated database.
   * `contract` removes what a release no longer uses, once no server of an earlier one is connected.
   */
  readonly phase: "expand" | "contract";
  /** The oldest release that runs on the database afterwards. It is stored, so that older ones refuse to start. */
  readonly oldestRelease: string;
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

/** A row of the table in which a database lists its migrations. */
export interface AppliedMigration {
  readonly name: string;
  readonly oldest_release: string;
}

export const migrationsTable = `create table if not exists schema_migrations (
  name text primary key,
  applied_at bigint not null,
  oldest_release text not null
)`;
export const appliedMigrationsQuery = "select name, oldest_release from schema_migrations order by name";

/** What adds comes first: what removes can be postponed, and then nothing waits for it. */
export function inOrder(migrations: readonly Migration[]): Migration[] {
  const inPhase = (phase: Migration["phase"]) => migrations.filter((migration) => migration.phase === phase);
  return [...inPhase("expand"), ...inPhase("contract")];
}

/** Migrations of a later release that say that this one does not run on the database. */
export function refusing<Applied extends AppliedMigration>(
  applied: readonly Applied[],
  known: readonly Migration[],
): Applied[] {
  const names = new Set(known.map(({ name }) => name));
  return applied.filter((one) => !names.has(one.name) && isOlder(thisRelease, one.oldest_release));
}

/** A later release that only added something can share the database with this one. Otherwise it is not touched. */
export function refuseIfNewer(applied: readonly AppliedMigration[], known: readonly Migration[]): void {
  refuseUnfinishedCopy(applied);
  const [first] = refusing(applied, known);
  if (first === undefined) return;
  throw new StoreProblem(
    `The database has migration ${first.name}, which this release, ${thisRelease}, does not know and cannot run with. Start release ${first.oldest_release} or a newer release.`,
  );
}

/** Whether a release is older than another. One that cannot be read counts as older: then it is not relied on. */
export function isOlder(release: string, than: string): boolean {
  const [a, b] = [parseVersion(release), parseVersion(than)];
  return a === null || b === null || compareVersions(a, b) < 0;
}

/** In `schema_migrations`, as a name and as a release: every release counts as too old for it, also an earlier one. */
export const unfinishedCopy = "unfinished-copy";

function refuseUnfinishedCopy(applied: readonly AppliedMigration[]): void {
  if (!applied.some(({ name }) => name === unfinishedCopy)) return;
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

/** A migration that removes something was left for later. */
export interface PostponedMigration {
  readonly migration: string;
  /** Such as "servers of release 0.1.0 are connected". */
  readonly reason: string;
}

export interface MigrationOptions {
  readonly migrationWaits?: (wait: LockWait) => void;
  readonly migrationPostponed?: (postponed: PostponedMigration) => void;
  /** Called with the folder of the backup that was made before migrations. Only on SQLite. */
  readonly backedUp?: (folder: string) => void;
  /** Migrate a SQLite database that has data without a backup. */
  readonly withoutBackup?: boolean;
  /** Also remove what servers of earlier releases use, whether or not some are connected. */
  readonly contractAnyway?: boolean;
}
