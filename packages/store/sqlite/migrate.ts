import type { DatabaseSync } from "node:sqlite";
import { timeStamp } from "../backup-format.ts";
import { errorSentence, StoreProblem } from "../errors/problem.ts";
import { journalMigrations, mainMigrations } from "../migrations/all.ts";
import { type Migration, newerThanThis, statementsFor } from "../migrations/migration.ts";
import { checkUndamaged, DamagedDatabase, isDamage, setAside } from "./damage.ts";
import { rollback } from "./errors.ts";
import { openDatabase, prepareFolder, refuseLostDatabase, sqliteFiles } from "./files.ts";

/** Called when the request log was damaged: its new path, and what was wrong with it. */
export type JournalSetAside = (aside: string, reason: string) => void;

/**
 * Creates the data folder if necessary, migrates both of its files and returns what was applied. A damaged request log
 * is set aside if `journalSetAside` is given, by a server that owns the folder.
 */
export function migrateFolder(folder: string, journalSetAside: JournalSetAside | null = null): string[] {
  const files = sqliteFiles(folder);
  prepareFolder(folder);
  refuseLostDatabase(files);
  const applied = migrateFile(files.main, mainMigrations);
  try {
    return [...applied, ...migrateFile(files.journal, journalMigrations)];
  } catch (error) {
    if (journalSetAside === null || !isDamage(error)) throw error;
    journalSetAside(setAside(files.journal, timeStamp(Date.now())), errorSentence(error));
    return [...applied, ...migrateFile(files.journal, journalMigrations)];
  }
}

function migrateFile(path: string, migrations: readonly Migration[]): string[] {
  const database = openDatabase(path);
  try {
    checkUndamaged(database, path);
    return migrateSqlite(database, migrations);
  } catch (cause) {
    if (isDamage(cause) && !(cause instanceof StoreProblem)) throw new DamagedDatabase(path, cause);
    throw cause;
  } finally {
    database.close();
  }
}

/** Applies pending migrations, each completely or not at all. Safe to repeat, and safe next to another process. */
export function migrateSqlite(database: DatabaseSync, migrations: readonly Migration[]): string[] {
  database.exec(
    "create table if not exists schema_migrations (name text primary key, applied_at bigint not null)",
  );
  const applied: string[] = [];
  for (const migration of migrations) {
    database.exec("begin immediate");
    try {
      if (apply(database, migration, migrations)) applied.push(migration.name);
      database.exec("commit");
    } catch (cause) {
      rollback(database);
      if (cause instanceof StoreProblem) throw cause;
      throw new StoreProblem(
        `Migration ${migration.name} failed and was rolled back: ${errorSentence(cause)}`,
        {
          cause,
        },
      );
    }
  }
  return applied;
}

function apply(database: DatabaseSync, migration: Migration, all: readonly Migration[]): boolean {
  const done = database.prepare("select name from schema_migrations").all() as { name: string }[];
  newerThanThis(
    done.map((row) => row.name),
    all,
  );
  if (done.some((row) => row.name === migration.name)) return false;
  for (const statement of statementsFor(migration, "sqlite"))
    database.exec(statement.replaceAll("/* clustered */", "without rowid"));
  database
    .prepare("insert into schema_migrations (name, applied_at) values (?, ?)")
    .run(migration.name, Date.now());
  return true;
}
