import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  checkFiles,
  type DatabaseCopier,
  type Manifest,
  readManifest,
  writeBackup,
} from "../backup-format.ts";
import { errorSentence, StoreProblem } from "../errors/problem.ts";
import { allMigrations } from "../migrations/all.ts";
import { postgresCopier } from "../postgres/backup.ts";
import { journalName, sqliteCopier } from "../sqlite/backup.ts";
import type { DatabaseLocation } from "./open.ts";

interface BackupOptions {
  readonly release: string;
  readonly nowMs: number;
  /** The environment for PostgreSQL's own programs, including the PATH to find them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Copies everything to a new folder while servers run. */
export async function backUp(
  location: DatabaseLocation,
  folder: string,
  options: BackupOptions,
): Promise<Manifest> {
  const copier = copierFor(location, options.environment);
  const made = !existsSync(folder);
  prepareBackupFolder(folder);
  try {
    return await writeBackup(copier, folder, options);
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
  const copier = copierFor(location, options.environment, manifest);
  if (manifest.kind !== copier.kind) throw new StoreProblem(wrongKind(manifest.kind));
  refuseNewerBackup(manifest);
  await checkFiles(folder, manifest, copier.fileNames);
  return { manifest, ...(await copier.copyIn(folder, manifest, options)) };
}

/** A manifest has only names, so a backup with any migration of a later release is left to that release. */
function refuseNewerBackup({ migrations, release }: Manifest): void {
  const unknown = migrations.find((name) => !allMigrations.some((migration) => migration.name === name));
  if (unknown === undefined) return;
  throw new StoreProblem(
    `The backup has migration ${unknown}, which this release does not know. Restore it with release ${release}, which made it.`,
  );
}

/** For a backup that exists, with its manifest: one from before a migration can be without the request log. */
function copierFor(
  location: DatabaseLocation,
  environment: BackupOptions["environment"],
  backup?: Manifest,
): DatabaseCopier {
  switch (location.kind) {
    case "sqlite":
      return sqliteCopier(location.folder, {
        withJournal: backup?.files.some(({ name }) => name === journalName) ?? true,
      });
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
