import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  checkFiles,
  type DatabaseCopier,
  describeFiles,
  type Manifest,
  readManifest,
  writeManifest,
} from "../backup-format.ts";
import { errorSentence, StoreProblem } from "../errors/problem.ts";
import { journalMigrations, mainMigrations } from "../migrations/all.ts";
import { newerThanThis } from "../migrations/migration.ts";
import { postgresCopier } from "../postgres/backup.ts";
import { sqliteCopier } from "../sqlite/backup.ts";
import type { DatabaseLocation } from "./open.ts";

interface BackupOptions {
  readonly release: string;
  readonly nowMs: number;
  /** The environment for PostgreSQL's own programs, including the PATH to find them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Copies everything to a new folder while servers run. The manifest is written last: without it, it is not a backup.
 */
export async function backUp(
  location: DatabaseLocation,
  folder: string,
  options: BackupOptions,
): Promise<Manifest> {
  const copier = copierFor(location, options.environment);
  const made = !existsSync(folder);
  prepareBackupFolder(folder);
  try {
    const contents = await copier.copyOut(folder);
    const manifest: Manifest = {
      kind: copier.kind,
      createdAt: new Date(options.nowMs).toISOString(),
      release: options.release,
      ...contents,
      files: await describeFiles(folder, copier.fileNames),
    };
    writeManifest(folder, manifest);
    return manifest;
  } catch (error) {
    for (const name of copier.fileNames) rmSync(join(folder, name), { force: true });
    if (made) rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

interface Restored {
  readonly manifest: Manifest;
  readonly migrationsApplied: readonly string[];
  /** Where the previous data was set aside: files, or a schema of the database. */
  readonly keptAside: readonly string[];
}

interface RestoreOptions extends Pick<BackupOptions, "environment" | "nowMs"> {
  /** Replace a database that contains organizations. */
  readonly force: boolean;
}

/**
 * Replaces the database with a backup, completely or not at all. Nothing is changed before the backup has been checked.
 */
export async function restoreBackup(
  location: DatabaseLocation,
  folder: string,
  options: RestoreOptions,
): Promise<Restored> {
  const manifest = readManifest(folder);
  const copier = copierFor(location, options.environment);
  if (manifest.kind !== copier.kind) throw new StoreProblem(wrongKind(manifest.kind));
  newerThanThis(manifest.migrations, [...mainMigrations, ...journalMigrations]);
  await checkFiles(folder, manifest, copier.fileNames);
  return { manifest, ...(await copier.copyIn(folder, manifest, options)) };
}

function copierFor(location: DatabaseLocation, environment: BackupOptions["environment"]): DatabaseCopier {
  switch (location.kind) {
    case "sqlite":
      return sqliteCopier(location.folder);
    case "postgres":
      return postgresCopier(location.url, environment);
  }
}

function wrongKind(kind: Manifest["kind"]): string {
  switch (kind) {
    case "sqlite":
      return "This backup was made from SQLite, but DATABASE_URL names a PostgreSQL database. Unset DATABASE_URL to restore it.";
    case "postgres":
      return "This backup was made from PostgreSQL. Set DATABASE_URL to the PostgreSQL database that it should be restored into.";
  }
}

function prepareBackupFolder(folder: string): void {
  const path = resolve(folder);
  let fileNames: string[];
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    fileNames = readdirSync(path);
    if (fileNames.length === 0) chmodSync(path, 0o700);
  } catch (cause) {
    throw new StoreProblem(
      `The folder ${path} cannot be created: ${errorSentence(cause)} Choose another one.`,
      {
        cause,
      },
    );
  }
  if (fileNames.length > 0) {
    throw new StoreProblem(
      `The folder ${path} is not empty. Choose a new one, so that no earlier backup is overwritten.`,
    );
  }
}
