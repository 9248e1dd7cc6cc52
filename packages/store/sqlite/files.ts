import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { errorSentence, isDiskFull, StorageUnavailable, StoreProblem } from "../errors/problem.ts";
import { DamagedDatabase, isDamage } from "./damage.ts";

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
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new StoreProblem(`${folderProblem(folder, cause)} or set COUNTERSIGN_DATA to another folder.`, {
      cause,
    });
  }
}

function folderProblem(folder: string, cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  if (isDiskFull(cause))
    return `The data folder ${folder} cannot be created: the disk is full. Free up space,`;
  if (code === "EROFS")
    return `The data folder ${folder} cannot be written: its file system is read-only. Mount it writable,`;
  if (code === "ENOTDIR" || code === "EEXIST")
    return `The data folder ${folder} is a file, or its path leads through one. Remove that file,`;
  // In a container, nobody knows by heart who it runs as.
  const user = process.getuid === undefined ? "the user" : `the user with ID ${process.getuid()}`;
  return `The data folder ${folder} cannot be written. Make it writable for ${user}, who runs this,`;
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
  let currentId: string | null = null;
  try {
    currentId = fileId(path);
  } catch {
    // It no longer exists.
  }
  if (currentId !== id) throw new StorageUnavailable(`The database file ${path} was removed or replaced.`);
}

const others = 0o077;

/**
 * Creates the database file if necessary, readable only by its owner, and tightens the permissions of an existing one
 * and its related files. SQLite would follow the umask, which lets others read on most machines; a new log inherits the
 * permissions of its database.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
    // The umask may have removed more than others' permissions.
    chmodSync(path, 0o600);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EEXIST") throw error;
  }
  for (const end of ["", "-wal", "-shm"]) tighten(path + end);
}

/** Creates a missing folder for its owner only. An existing one may hold other things, and stays as it is. */
function makePrivateFolder(folder: string): void {
  // The topmost folder that was created; undefined if all of them existed.
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(folder, 0o700);
}

/** Whether others can read it. On systems without such permissions, such as Windows, this is false. */
export function othersMayRead(path: string): boolean {
  if (process.platform === "win32") return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & others) !== 0;
}

function tighten(path: string): void {
  try {
    if (othersMayRead(path)) chmodSync(path, 0o600);
  } catch {
    // It belongs to another user. The doctor reports that.
  }
}

/**
 * Detects a database that is missing or empty next to files that belong to one: it was moved or lost, and a start would
 * create a new installation in its place. Null if all is well, or if there are no files at all.
 */
export function lostDatabase({ folder, main, journal, search }: SqliteFiles): string | null {
  if ((statSync(main, { throwIfNoEntry: false })?.size ?? 0) > 0) return null;
  const left = [journal, search, `${main}-wal`]
    .filter((path) => existsSync(path))
    .map((path) => basename(path));
  if (left.length === 0) return null;
  const condition = existsSync(main) ? "is empty" : "is missing";
  return (
    `${basename(main)} ${condition} in ${folder}, where ${left.join(" and ")} of an earlier installation ${left.length === 1 ? "is" : "are"} left. ` +
    "Put it back or restore a backup with countersign restore; to begin a new installation, set COUNTERSIGN_DATA to an empty folder."
  );
}

export function refuseLostDatabase(files: SqliteFiles): void {
  const problem = lostDatabase(files);
  if (problem !== null) throw new StoreProblem(problem);
}

/**
 * Reserves the data folder for one server. The lock is an exclusive transaction on a separate database, so the
 * operating system releases it however the process ends.
 */
export function takeOwnership(files: SqliteFiles): () => void {
  const release = takeLock(files.owner);
  if (release !== null) return release;
  throw new StoreProblem(
    `The data folder ${files.folder} is in use by another Countersign server. Stop that one, or set COUNTERSIGN_DATA to another folder.`,
  );
}

const sqliteBusy = 5;

/** Locks a file that exists only for that, and returns what releases it. Null if another process has locked it. */
export function takeLock(path: string): (() => void) | null {
  let lock: DatabaseSync | null = null;
  try {
    makePrivate(path);
    const opened = new DatabaseSync(path);
    lock = opened;
    lock.exec("pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive");
    return () => opened.close();
  } catch (cause) {
    lock?.close();
    if (cause instanceof Error && "errcode" in cause && (Number(cause.errcode) & 255) === sqliteBusy)
      return null;
    throw new StoreProblem(`The file ${path} cannot be locked: ${errorSentence(cause)}`, { cause });
  }
}

/** Whether a server owns the folder now. */
export function isOwned(files: SqliteFiles): boolean {
  if (!existsSync(files.owner)) return false;
  const lock = new DatabaseSync(files.owner);
  try {
    lock.exec("pragma busy_timeout = 0");
    lock.prepare("select count(*) from sqlite_master").get();
    return false;
  } catch {
    return true;
  } finally {
    lock.close();
  }
}
