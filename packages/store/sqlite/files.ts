import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StorageUnavailable, StoreProblem } from "../errors/problem.ts";
import { errorSentence } from "../errors/sentence.ts";
import { DamagedDatabase, isDamage } from "./damage.ts";
import { makePrivate, makePrivateFolder } from "./private-file.ts";

export interface SqliteFiles {
  readonly folder: string;
  readonly main: string;
  readonly journal: string;
  /** The text index, which is rebuilt if it does not exist. */
  readonly search: string;
  readonly owner: string;
}

export function sqliteFiles(folder: string): SqliteFiles {
  return {
    folder,
    main: join(folder, "countersign.db"),
    journal: join(folder, "journal.db"),
    search: join(folder, "search.db"),
    owner: join(folder, "owner.lock"),
  };
}

/** Creates the data folder if necessary. If it is not writable, throws a sentence that says what to do. */
export function prepareFolder(folder: string): void {
  try {
    makePrivateFolder(folder);
    if (!statSync(folder).isDirectory()) throw new Error("not a folder");
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new StoreProblem(
      `The data folder ${folder} cannot be written. Make it writable, or set COUNTERSIGN_DATA to another folder.`,
      { cause },
    );
  }
}

export function openDatabase(path: string): DatabaseSync {
  try {
    makePrivate(path);
    const database = new DatabaseSync(path);
    database.exec(`
      pragma busy_timeout = 5000;
      pragma journal_mode = wal;
      pragma synchronous = normal;
      pragma foreign_keys = on;
      pragma cache_size = -16384;
    `);
    return database;
  } catch (cause) {
    if (isDamage(cause)) throw new DamagedDatabase(path, cause);
    throw new StoreProblem(`The database file ${path} cannot be opened: ${errorSentence(cause)}`, { cause });
  }
}

/** A connection that reads both files. */
export function openReader(files: SqliteFiles): DatabaseSync {
  const database = openDatabase(files.main);
  // Lookups access the whole file: mapped into memory, a page costs no system call, however many licenses there are.
  database.exec("pragma mmap_size = 4294967296");
  database.prepare("attach database ? as journal").run(files.journal);
  return database;
}

/** Tells a file from another with the same name. */
export function fileId(path: string): string {
  const { dev, ino } = statSync(path);
  return `${dev}:${ino}`;
}

/** A file that was removed or replaced can still be written by processes that have it open, and all of that is lost. */
export function checkFile(path: string, id: string): void {
  let found: string | null = null;
  try {
    found = fileId(path);
  } catch {
    // It no longer exists.
  }
  if (found !== id) throw new StorageUnavailable(`The database file ${path} was removed or replaced.`);
}
