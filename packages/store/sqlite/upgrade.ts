import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, readManifest, syncToDisk, timeStamp, writeBackup } from "../backup-format.ts";
import { errorSentence, StoreProblem } from "../errors/problem.ts";
import { allMigrations, journalMigrations, mainMigrations } from "../migrations/all.ts";
import {
  type AppliedMigration,
  type Migration,
  type MigrationOptions,
  refuseIfNewer,
  thisRelease,
} from "../migrations/migration.ts";
import { sqliteCopier } from "./backup.ts";
import { isDamage } from "./damage.ts";
import {
  isOwned,
  prepareFolder,
  refuseLostDatabase,
  type SqliteFiles,
  sqliteFiles,
  takeLock,
} from "./files.ts";
import { type JournalSetAside, migrateFolder, readApplied, serverAtWork } from "./migrate.ts";

interface UpgradeOptions extends MigrationOptions {
  readonly isOwner?: boolean;
  readonly journalSetAside?: JournalSetAside | null;
}

/** The backup that a migration makes first. */
interface PlannedBackup {
  /** The request log is copied only if it is migrated, because it can be large. */
  readonly withJournal: boolean;
  readonly bytes: number;
}

interface FolderPlan {
  readonly applied: readonly AppliedMigration[];
  readonly pending: readonly Migration[];
  /** Why a pending migration that removes something would be left for later now, by its name. */
  readonly postponed: ReadonlyMap<string, string>;
  /** Null if there is nothing to migrate, or no data yet. */
  readonly backup: PlannedBackup | null;
}

/** How many backups from before a migration are kept. */
const keptBackups = 3;
/** Kept free beside the backup, for the migration itself. */
const reserveBytes = 64 * 1024 * 1024;
/** How long a process waits for another one that migrates. */
const lockWaitMs = 60_000;
const lockRetryMs = 50;

/**
 * Migrates the data folder, and backs its data up first. If that is not possible, nothing is migrated. A process that is
 * killed at any time leaves what the next one completes.
 */
export async function upgradeFolder(folder: string, options: UpgradeOptions = {}): Promise<string[]> {
  const files = sqliteFiles(folder);
  prepareFolder(folder);
  refuseLostDatabase(files);
  const plan = planFolder(folder);
  if (options.withoutBackup === true || plan.backup === null) return migrateFolder(folder, options);
  refuseIfNewer(plan.applied, allMigrations);
  const unlock = await migrationLock(folder);
  try {
    // The other process may have finished.
    const { backup } = planFolder(folder);
    if (backup !== null) {
      const made = await backUpFirst(files, backup);
      options.backedUp?.(made);
    }
    return migrateFolder(folder, options);
  } finally {
    unlock();
  }
}

async function migrationLock(folder: string): Promise<() => void> {
  const deadlineMs = performance.now() + lockWaitMs;
  for (;;) {
    const unlock = takeLock(join(folder, "migration.lock"));
    if (unlock !== null) return unlock;
    if (performance.now() > deadlineMs)
      throw new StoreProblem(
        `Another process is migrating the database in ${folder}. Wait until it has finished, and try again.`,
      );
    await new Promise((resolve) => setTimeout(resolve, lockRetryMs));
  }
}

/** Changes nothing. A damaged file counts as one without data: opening it reports the damage. */
export function planFolder(folder: string): FolderPlan {
  const files = sqliteFiles(folder);
  const main = planFile(files.main, mainMigrations);
  const journal = planFile(files.journal, journalMigrations);
  const pending = [...main.pending, ...journal.pending];
  const withJournal = journal.applied.length > 0 && journal.pending.length > 0;
  const hasData = main.applied.length > 0;
  const copied = [files.main, ...(withJournal ? [files.journal] : [])];
  return {
    applied: [...main.applied, ...journal.applied],
    pending,
    postponed: new Map(
      pending
        .filter(({ phase }) => phase === "contract" && existsSync(files.owner) && isOwned(files))
        .map(({ name }) => [name, serverAtWork]),
    ),
    backup:
      hasData && (main.pending.length > 0 || withJournal)
        ? { withJournal, bytes: copied.reduce((sum, path) => sum + sizeOf(path), 0) }
        : null,
  };
}

function planFile(path: string, migrations: readonly Migration[]) {
  const applied = appliedUnlessDamaged(path);
  const pending = migrations.filter(({ name }) => !applied.some((one) => one.name === name));
  return { applied, pending };
}

function appliedUnlessDamaged(path: string): AppliedMigration[] {
  try {
    return readApplied(path);
  } catch (error) {
    if (isDamage(error)) return [];
    throw error;
  }
}

/** Makes the backup, and returns its folder. It has its name only once it is complete. */
async function backUpFirst(files: SqliteFiles, { withJournal, bytes }: PlannedBackup): Promise<string> {
  const folder = backupsFolder(files);
  const unfinished = join(folder, "unfinished");
  const nowMs = Date.now();
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(unfinished, { recursive: true, force: true });
    requireSpace(folder, bytes);
    mkdirSync(unfinished, { mode: 0o700 });
    const copier = sqliteCopier(files.folder, { withJournal });
    const manifest = await writeBackup(copier, unfinished, { release: thisRelease, nowMs });
    const finished = join(folder, `before-${thisRelease}-${timeStamp(nowMs)}`);
    const superseded = finishedBackups(folder).filter((one) => isSameSchema(one.manifest, manifest));
    renameSync(unfinished, finished);
    syncToDisk(folder);
    for (const { path } of superseded) rmSync(path, { recursive: true, force: true });
    for (const { path } of finishedBackups(folder).slice(keptBackups))
      rmSync(path, { recursive: true, force: true });
    return finished;
  } catch (cause) {
    if (existsSync(unfinished)) rmSync(unfinished, { recursive: true, force: true });
    const problem = cause instanceof StoreProblem ? cause.message : errorSentence(cause);
    throw new StoreProblem(
      `The database has to be migrated, and could not be backed up first, so nothing was changed. ${problem} To migrate without this backup, run countersign migrate --without-backup.`,
      { cause },
    );
  }
}

export function backupsFolder({ folder }: Pick<SqliteFiles, "folder">): string {
  return join(folder, "backups");
}

function requireSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const [neededBytes, freeBytes] = [bytes + reserveBytes, bavail * bsize];
  if (freeBytes >= neededBytes) return;
  throw new StoreProblem(
    `It needs ${megabytes(neededBytes)} in ${folder}, where ${megabytes(freeBytes)} are free.`,
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000).toLocaleString("en")} MB`;
}

/**
 * A start that fails after its backup is repeated, perhaps without an end. Its next backup takes the place of the one
 * before; one from before a migration that was applied in the meantime stays.
 */
function isSameSchema(before: Manifest, now: Manifest): boolean {
  return before.release === now.release && before.migrations.join() === now.migrations.join();
}

/** The newest first. What was put there by hand is left alone. */
function finishedBackups(folder: string): { path: string; manifest: Manifest }[] {
  return readdirSync(folder)
    .filter((name) => /^before-.+-\d{8}t\d{9}$/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, "manifest.json")))
    .map((path) => ({ path, manifest: readManifest(path) }))
    .sort((a, b) => (a.manifest.createdAt < b.manifest.createdAt ? 1 : -1));
}

function sizeOf(path: string): number {
  return [path, `${path}-wal`].reduce(
    (sum, one) => sum + (statSync(one, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
