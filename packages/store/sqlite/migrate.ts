import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { timeStamp } from "../backup-format.ts";
import { errorSentence, StoreProblem } from "../errors/problem.ts";
import { journalMigrations, mainMigrations } from "../migrations/all.ts";
import {
  type AppliedMigration,
  appliedMigrationsQuery,
  inOrder,
  type Migration,
  type MigrationOptions,
  migrationsTable,
  refuseIfNewer,
  statementsFor,
} from "../migrations/migration.ts";
import { checkUndamaged, DamagedDatabase, isDamage, setAside } from "./damage.ts";
import { rollback } from "./errors.ts";
import { isOwned, openDatabase, prepareFolder, refuseLostDatabase, sqliteFiles } from "./files.ts";

/** Called when the request log was damaged: its new path, and what was wrong with it. */
export type JournalSetAside = (aside: string, reason: string) => void;

/** Why a command next to a server removes nothing: the server could be of an earlier release. */
export const serverAtWork = "a server is using the data folder";

interface FolderOptions extends Pick<MigrationOptions, "migrationPostponed" | "contractAnyway"> {
  /** Whether the caller owns the folder, so that no server uses it. */
  readonly isOwner?: boolean;
  /** Sets a damaged request log aside. For a server that owns the folder. */
  readonly journalSetAside?: JournalSetAside | null;
}

/**
 * Creates the data folder if necessary, migrates both of its files and returns what was applied. Makes no backup: see
 * `upgradeFolder`.
 */
export function migrateFolder(folder: string, options: FolderOptions = {}): string[] {
  const files = sqliteFiles(folder);
  prepareFolder(folder);
  refuseLostDatabase(files);
  const { isOwner = false, journalSetAside = null, contractAnyway = false } = options;
  const postponed = () => (isOwner || contractAnyway || !isOwned(files) ? null : serverAtWork);
  const migrate = (path: string, migrations: readonly Migration[]) =>
    migrateFile(path, migrations, { ...options, whyPostponed: postponed });
  const applied = migrate(files.main, mainMigrations);
  try {
    return [...applied, ...migrate(files.journal, journalMigrations)];
  } catch (error) {
    if (journalSetAside === null || !isDamage(error)) throw error;
    journalSetAside(setAside(files.journal, timeStamp(Date.now())), errorSentence(error));
    return [...applied, ...migrate(files.journal, journalMigrations)];
  }
}

interface FileOptions extends Pick<MigrationOptions, "migrationPostponed"> {
  /** Why what a server could use is not removed now; null if it is. */
  readonly whyPostponed?: () => string | null;
}

function migrateFile(path: string, migrations: readonly Migration[], options: FileOptions): string[] {
  const database = openDatabase(path);
  try {
    checkUndamaged(database, path);
    return migrateSqlite(database, migrations, options);
  } catch (cause) {
    if (isDamage(cause) && !(cause instanceof StoreProblem)) throw new DamagedDatabase(path, cause);
    throw cause;
  } finally {
    database.close();
  }
}

/** Applies pending migrations, each completely or not at all. Safe to repeat, and safe next to another process. */
export function migrateSqlite(
  database: DatabaseSync,
  migrations: readonly Migration[],
  { whyPostponed = () => null, migrationPostponed }: FileOptions = {},
): string[] {
  database.exec(migrationsTable);
  const applied: string[] = [];
  for (const migration of inOrder(migrations)) {
    database.exec("begin immediate");
    try {
      const result = apply(database, { migration, all: migrations, whyPostponed });
      if (result === "applied") applied.push(migration.name);
      else if (result !== "was applied")
        migrationPostponed?.({ migration: migration.name, reason: result.postponed });
      database.exec("commit");
    } catch (cause) {
      rollback(database);
      if (cause instanceof StoreProblem) throw cause;
      throw new StoreProblem(
        `Migration ${migration.name} failed and was rolled back: ${errorSentence(cause)}`,
        { cause },
      );
    }
  }
  return applied;
}

interface Step {
  readonly migration: Migration;
  readonly all: readonly Migration[];
  readonly whyPostponed: () => string | null;
}

function apply(
  database: DatabaseSync,
  { migration, all, whyPostponed }: Step,
): "applied" | "was applied" | { readonly postponed: string } {
  const done = appliedTo(database);
  refuseIfNewer(done, all);
  if (done.some((row) => row.name === migration.name)) return "was applied";
  const postponed = migration.phase === "contract" ? whyPostponed() : null;
  if (postponed !== null) return { postponed };
  for (const statement of statementsFor(migration, "sqlite"))
    database.exec(statement.replaceAll("/* clustered */", "without rowid"));
  database
    .prepare("insert into schema_migrations (name, applied_at, oldest_release) values (?, ?, ?)")
    .run(migration.name, Date.now(), migration.oldestRelease);
  return "applied";
}

function appliedTo(database: DatabaseSync): AppliedMigration[] {
  return database.prepare(appliedMigrationsQuery).all() as unknown as AppliedMigration[];
}

/** The migrations of a file, which is not changed. Empty if there is no such file, or nothing in it. */
export function readApplied(path: string): AppliedMigration[] {
  if (!existsSync(path)) return [];
  // A reader that could not write would leave files of the write-ahead log behind.
  const database = new DatabaseSync(path);
  try {
    database.exec("pragma busy_timeout = 5000");
    const table = "select 1 from sqlite_master where type = 'table' and name = 'schema_migrations'";
    return database.prepare(table).get() === undefined ? [] : appliedTo(database);
  } catch (cause) {
    if (isDamage(cause)) throw new DamagedDatabase(path, cause);
    throw new StoreProblem(`The database file ${path} cannot be read: ${errorSentence(cause)}`, { cause });
  } finally {
    database.close();
  }
}
