import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type Contents,
  type CopiedIn,
  type CopyInOptions,
  checkRows,
  countedTables,
  type DatabaseCopier,
  type RowCounts,
  refuseToReplace,
  rowCounts,
  syncToDisk,
  timeStamp,
} from "../backup-format.ts";
import { errorSentence, StoreProblem } from "../errors/problem.ts";
import { prepareFolder, type SqliteFiles, sqliteFiles, takeOwnership } from "./files.ts";
import { migrateFolder } from "./migrate.ts";

export const journalName = basename(sqliteFiles("").journal);

interface CopierOptions {
  /** Without the request log, the one in the data folder stays as it is when the backup is restored. */
  readonly withJournal: boolean;
}

export function sqliteCopier(folder: string, options: CopierOptions): DatabaseCopier {
  const files = sqliteFiles(folder);
  return {
    kind: "sqlite",
    fileNames: [basename(files.main), ...(options.withJournal ? [journalName] : [])],
    copyOut: async (target) => copyOut(files, sqliteFiles(target), options),
    copyIn: async (source, contents, given) =>
      copyIn(sqliteFiles(source), files, contents, { ...given, ...options }),
  };
}

function copyOut(files: SqliteFiles, copy: SqliteFiles, { withJournal }: CopierOptions): Contents {
  if (!existsSync(files.main)) {
    throw new StoreProblem(
      `There is no database in ${files.folder}. Set COUNTERSIGN_DATA to the folder that contains it.`,
    );
  }
  try {
    const before = using(files.main, readRows);
    const migrations = [
      ...vacuumInto(files.main, copy.main),
      ...(withJournal ? vacuumInto(files.journal, copy.journal) : []),
    ];
    const rows = using(copy.main, readRows);
    checkNothingLost(before, rows, using(files.main, readRows));
    return { rows, migrations };
  } catch (cause) {
    if (cause instanceof StoreProblem) throw cause;
    throw new StoreProblem(`The database in ${files.folder} could not be copied: ${errorSentence(cause)}`, {
      cause,
    });
  }
}

/** One snapshot, without blocking writers. Returns the migrations in the copy. */
function vacuumInto(path: string, copy: string): string[] {
  // SQLite would make the file readable by others.
  writeFileSync(copy, "", { mode: 0o600, flag: "wx" });
  using(path, (database) => database.prepare("vacuum into ?").run(copy));
  return using(copy, (database) => {
    checkIntegrity(database, copy);
    return readMigrations(database);
  });
}

/** The service runs in the meantime, so counts can differ, but must be between those before and after. */
function checkNothingLost(before: RowCounts, copy: RowCounts, after: RowCounts): void {
  const lost = countedTables.find((table) => copy[table] === 0 && before[table] > 0 && after[table] > 0);
  if (lost === undefined) return;
  throw new StoreProblem(`The copy holds no ${lost}, although the database does. Create the backup again.`);
}

function copyIn(
  source: SqliteFiles,
  files: SqliteFiles,
  contents: Contents,
  options: CopyInOptions & CopierOptions,
): CopiedIn {
  prepareFolder(files.folder);
  const release = takeOwnership(files);
  const stamp = timeStamp(options.nowMs);
  const staged = sqliteFiles(join(files.folder, `restore-${stamp}`));
  try {
    refuseToReplace(organizationsIn(files.main), options.force);
    mkdirSync(staged.folder, { mode: 0o700 });
    copyFileSync(source.main, staged.main);
    if (options.withJournal) copyFileSync(source.journal, staged.journal);
    const migrationsApplied = migrateFolder(staged.folder);
    using(staged.main, (database) => {
      checkIntegrity(database, staged.main);
      checkRows(readRows(database), contents.rows);
    });
    // It belongs to the database being replaced, and the server creates a new one.
    for (const end of ["", "-wal", "-shm"]) rmSync(`${files.search}${end}`, { force: true });
    const aside = [
      options.withJournal ? putInPlace(staged.journal, files.journal, stamp) : null,
      putInPlace(staged.main, files.main, stamp),
    ];
    syncToDisk(files.folder);
    return { migrationsApplied, keptAside: aside.filter((path) => path !== null) };
  } catch (cause) {
    if (cause instanceof StoreProblem) throw cause;
    throw new StoreProblem(`The backup could not be restored: ${errorSentence(cause)}`, { cause });
  } finally {
    rmSync(staged.folder, { recursive: true, force: true });
    release();
  }
}

/** At every moment either the old file or the new one is in place. Returns where the old one went. */
function putInPlace(staged: string, path: string, stamp: string): string | null {
  syncToDisk(staged);
  const aside = existsSync(path) ? `${path}.before-restore-${stamp}` : null;
  if (aside !== null) {
    foldLog(path, aside);
    keepUnder(path, aside);
  }
  // The log of another database would be read into this one.
  rmSync(`${path}-wal`, { force: true });
  rmSync(`${path}-shm`, { force: true });
  renameSync(staged, path);
  return aside;
}

/** Checkpoints the write-ahead log, so that a single file contains everything. */
function foldLog(path: string, aside: string): void {
  let busy: boolean;
  try {
    const folded = using(path, (database) => database.prepare("pragma wal_checkpoint(truncate)").get());
    busy = folded?.busy === 1;
  } catch {
    // A damaged database is kept as is, together with its log.
    if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`);
    return;
  }
  if (busy) throw new StoreProblem(`Another command is using ${path}. Let it finish, then restore again.`);
}

function keepUnder(path: string, aside: string): void {
  try {
    linkSync(path, aside);
  } catch {
    // Some file systems have no links.
    renameSync(path, aside);
  }
}

function organizationsIn(path: string): number | "unreadable" {
  if (!existsSync(path)) return 0;
  try {
    return using(path, (database) =>
      hasTable(database, "organizations") ? readRows(database).organizations : 0,
    );
  } catch {
    return "unreadable";
  }
}

function using<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path);
  try {
    database.exec("pragma busy_timeout = 5000");
    return work(database);
  } finally {
    database.close();
  }
}

function checkIntegrity(database: DatabaseSync, path: string): void {
  const answer = database.prepare("pragma integrity_check(1)").get();
  if (answer?.integrity_check === "ok") return;
  throw new StoreProblem(
    `The copy ${path} is damaged: ${errorSentence(answer?.integrity_check)} Check the disk.`,
  );
}

function readRows(database: DatabaseSync): RowCounts {
  return rowCounts((table) => Number(database.prepare(`select count(*) as rows from ${table}`).get()?.rows));
}

function readMigrations(database: DatabaseSync): string[] {
  return database
    .prepare("select name from schema_migrations order by name")
    .all()
    .map((row) => String(row.name));
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return (
    database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== undefined
  );
}
