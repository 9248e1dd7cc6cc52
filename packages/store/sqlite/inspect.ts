import { existsSync } from "node:fs";
import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { errorSentence, StoreProblem } from "../errors/problem.ts";
import {
  auditLogLimitsQuery,
  type Inspection,
  type PlanFacts,
  type PlatformFacts,
  planFactsQuery,
  platformSettingsQuery,
} from "../inspection.ts";
import { journalMigrations } from "../migrations/all.ts";
import { countOfDifferences } from "../migrations/license-counts.ts";
import { type AppliedMigration, appliedMigrationsQuery } from "../migrations/migration.ts";
import { isDamage } from "./damage.ts";
import { isOwned, lostDatabase, othersMayRead, sqliteFiles } from "./files.ts";
import { damageIn } from "./integrity.ts";

export function inspectSqlite(folder: string): Inspection | null {
  const files = sqliteFiles(folder);
  const lost = lostDatabase(files);
  if (lost !== null) throw new StoreProblem(lost);
  if (!existsSync(files.main)) return null;
  const journal = existsSync(files.journal) ? inspectJournal(files.journal) : noJournal;
  const main = inspecting(files.main, inspectFile);
  return {
    ...main,
    connection: [],
    appliedMigrations: [...main.appliedMigrations, ...journal.appliedMigrations],
    writeProblem: main.writeProblem ?? journal.writeProblem,
    serversAtWork: isOwned(files) ? 1 : 0,
    files: {
      journalDamage: journal.damage,
      searchDamage: existsSync(files.search) ? damageOf(files.search) : null,
      readableByOthers: [files.main, files.journal, files.search, files.owner]
        .flatMap((path) => [path, `${path}-wal`])
        .filter(othersMayRead)
        .map((path) => basename(path)),
    },
  };
}

type FileInspection = Omit<Inspection, "serversAtWork" | "files" | "connection">;

const noJournal = { appliedMigrations: [], writeProblem: null, damage: null };

/** A damaged log is replaced by a new one, so no migration counts as missing. */
function inspectJournal(path: string) {
  const damage = damageOf(path);
  if (damage === null) return { ...inspecting(path, inspectFile), damage: null };
  const appliedMigrations = journalMigrations.map(({ name, oldestRelease }) => ({
    name,
    oldest_release: oldestRelease,
  }));
  return { appliedMigrations, writeProblem: null, damage };
}

/** The damage that SQLite finds in a file; null if there is none. */
function damageOf(path: string): string | null {
  try {
    return inspecting(path, (database) => damageIn(database))[0] ?? null;
  } catch (error) {
    if (isDamage(error)) return errorSentence(error instanceof Error ? (error.cause ?? error) : error);
    throw error;
  }
}

function inspectFile(database: DatabaseSync): FileInspection {
  const migrated = hasTable(database, "schema_migrations");
  const damage = damageIn(database);
  return {
    version: `SQLite ${database.prepare("select sqlite_version() as version").get()?.version}`,
    appliedMigrations: migrated
      ? (database.prepare(appliedMigrationsQuery).all() as unknown as AppliedMigration[])
      : [],
    // The same clock, read twice.
    clockAheadMs: 0,
    damage,
    writeProblem: writeProblem(database),
    // Part of SQLite itself.
    textIndex: null,
    wrongCounts: damage.length === 0 ? wrongCounts(database) : null,
    storedDataKey: hasTable(database, "platform_state")
      ? (strings(database, "select value from platform_state where name = 'data_key'")[0] ?? null)
      : null,
    platform: hasTable(database, "plans") ? platformFacts(database) : null,
  };
}

function platformFacts(database: DatabaseSync): PlatformFacts {
  const settings = database.prepare(platformSettingsQuery).all();
  return {
    settings: new Map(settings.map(({ name, value }) => [String(name), String(value)])),
    plans: database.prepare(planFactsQuery).all() as unknown as PlanFacts[],
    limitsAuditLog:
      hasTable(database, "audit_log_cutoffs") && database.prepare(auditLogLimitsQuery).all().length > 0,
  };
}

function wrongCounts(database: DatabaseSync): number | null {
  if (!hasTable(database, "license_counts")) return null;
  return Number(database.prepare(countOfDifferences).get()?.differing);
}

function writeProblem(database: DatabaseSync): string | null {
  try {
    database.exec("begin immediate");
    database.exec("create table doctor_probe (probed integer)");
    return null;
  } catch (cause) {
    return errorSentence(cause);
  } finally {
    if (database.isTransaction) database.exec("rollback");
  }
}

function inspecting<T>(path: string, work: (database: DatabaseSync) => T): T {
  try {
    const database = new DatabaseSync(path);
    try {
      database.exec("pragma busy_timeout = 2000");
      return work(database);
    } finally {
      database.close();
    }
  } catch (cause) {
    throw new StoreProblem(`The database file ${path} cannot be read: ${errorSentence(cause)}`, { cause });
  }
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return (
    database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== undefined
  );
}

function strings(database: DatabaseSync, sql: string): string[] {
  return database
    .prepare(sql)
    .all()
    .map((row) => String(row.value));
}
