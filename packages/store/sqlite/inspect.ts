import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Inspection } from "../inspect.ts";
import { StoreProblem } from "../problem.ts";
import { sentence } from "../sentence.ts";
import { sqliteFiles } from "./files.ts";
import { isOwned } from "./owner.ts";

export function inspectSqlite(folder: string): Inspection | null {
  const files = sqliteFiles(folder);
  if (!existsSync(files.main)) return null;
  const journal = existsSync(files.journal) ? looking(files.journal, look) : nothing;
  const main = looking(files.main, look);
  return {
    ...main,
    appliedMigrations: [...main.appliedMigrations, ...journal.appliedMigrations],
    damage: [...main.damage, ...journal.damage],
    writeProblem: main.writeProblem ?? journal.writeProblem,
    serversAtWork: isOwned(files) ? 1 : 0,
  };
}

type FileInspection = Omit<Inspection, "serversAtWork">;

const nothing = { appliedMigrations: [], damage: [], writeProblem: null };

function look(database: DatabaseSync): FileInspection {
  const migrated = hasTable(database, "schema_migrations");
  return {
    version: `SQLite ${database.prepare("select sqlite_version() as version").get()?.version}`,
    appliedMigrations: migrated
      ? strings(database, "select name as value from schema_migrations order by name")
      : [],
    // The same clock, asked twice.
    clockAheadMs: 0,
    damage: damage(database),
    writeProblem: writeProblem(database),
    // Part of SQLite itself.
    textIndex: null,
    storedDataKey: hasTable(database, "platform_state")
      ? (strings(database, "select value from platform_state where name = 'data_key'")[0] ?? null)
      : null,
  };
}

function damage(database: DatabaseSync): string[] {
  const found = database.prepare("pragma quick_check(5)").all();
  return found.map((row) => String(row.quick_check)).filter((text) => text !== "ok");
}

function writeProblem(database: DatabaseSync): string | null {
  try {
    database.exec("begin immediate");
    database.exec("create table doctor_probe (probed integer)");
    return null;
  } catch (cause) {
    return sentence(cause);
  } finally {
    if (database.isTransaction) database.exec("rollback");
  }
}

function looking<T>(path: string, work: (database: DatabaseSync) => T): T {
  try {
    const database = new DatabaseSync(path);
    try {
      database.exec("pragma busy_timeout = 2000");
      return work(database);
    } finally {
      database.close();
    }
  } catch (cause) {
    throw new StoreProblem(`The database file ${path} cannot be read: ${sentence(cause)}`, { cause });
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
