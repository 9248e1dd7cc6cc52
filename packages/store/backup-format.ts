import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { StoreProblem } from "./errors/problem.ts";

/** Copies a database to a backup folder and back. There is one for each kind of database. */
export interface DatabaseCopier {
  readonly kind: "sqlite" | "postgres";
  readonly fileNames: readonly string[];
  /** Writes the files while servers run, and reads them back to verify them. */
  copyOut(folder: string): Promise<Contents>;
  /**
   * Replaces the database with the files and migrates them, completely or not at all. The previous data is set aside.
   */
  copyIn(folder: string, contents: Contents, options: CopyInOptions): Promise<CopiedIn>;
}

export interface Contents {
  readonly rows: RowCounts;
  readonly migrations: readonly string[];
}

export interface CopyInOptions {
  readonly force: boolean;
  readonly nowMs: number;
}

export interface CopiedIn {
  readonly migrationsApplied: readonly string[];
  readonly keptAside: readonly string[];
}

/** Writes a backup to an empty folder. The manifest is written last: without it, it is not a backup. */
export async function writeBackup(
  copier: DatabaseCopier,
  folder: string,
  { release, nowMs }: { readonly release: string; readonly nowMs: number },
): Promise<Manifest> {
  const contents = await copier.copyOut(folder);
  const manifest: Manifest = {
    kind: copier.kind,
    createdAt: new Date(nowMs).toISOString(),
    release,
    ...contents,
    files: await describeFiles(folder, copier.fileNames),
  };
  writeManifest(folder, manifest);
  return manifest;
}

/** Enough to tell a complete copy from an empty or an unrelated one. */
export const countedTables = ["organizations", "products", "licenses"] as const;
export type RowCounts = Readonly<Record<(typeof countedTables)[number], number>>;

export function rowCounts(count: (table: (typeof countedTables)[number]) => number): RowCounts {
  return { organizations: count("organizations"), products: count("products"), licenses: count("licenses") };
}

export function checkRows(copied: RowCounts, expected: RowCounts): void {
  const wrong = countedTables.find((table) => copied[table] !== expected[table]);
  if (wrong === undefined) return;
  throw new StoreProblem(
    `The copy holds ${copied[wrong]} ${wrong} where there should be ${expected[wrong]}. Nothing was changed; make a new backup.`,
  );
}

/** Throws unless it was requested: a restore replaces everything. */
export function refuseToReplace(organizations: number | "unreadable", force: boolean): void {
  if (force || organizations === 0) return;
  const existing =
    organizations === "unreadable"
      ? "There is a database already, and it cannot be read."
      : `The database already holds ${organizations} ${organizations === 1 ? "organization" : "organizations"}.`;
  throw new StoreProblem(`${existing} Add --force to replace it; the current data will be set aside.`);
}

/** Sorts by time and can be part of a file or schema name. */
export function timeStamp(nowMs: number): string {
  return new Date(nowMs)
    .toISOString()
    .replace(/[-:.Z]/g, "")
    .toLowerCase();
}

/** A backup's description of itself. Written only once everything else is on disk. */
export interface Manifest extends Contents {
  readonly kind: "sqlite" | "postgres";
  readonly createdAt: string;
  readonly release: string;
  readonly files: readonly BackupFile[];
}

interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

const manifestName = "manifest.json";
const format = "countersign-backup-1";

function writeManifest(folder: string, manifest: Manifest): void {
  const path = join(folder, manifestName);
  const text = JSON.stringify({ format, ...manifestOnTheWire(manifest) }, null, 2);
  writeFileSync(`${path}.part`, `${text}\n`, { mode: 0o600, flag: "wx" });
  syncToDisk(`${path}.part`);
  renameSync(`${path}.part`, path);
  syncToDisk(folder);
}

export function manifestOnTheWire(manifest: Manifest) {
  const { kind, createdAt, release, migrations, files, rows } = manifest;
  return { kind, created_at: createdAt, release, migrations, files, rows };
}

export function readManifest(folder: string): Manifest {
  const path = resolve(folder);
  let text: string;
  try {
    text = readFileSync(join(path, manifestName), "utf8");
  } catch (cause) {
    throw new StoreProblem(
      `There is no finished backup in ${path}: it has no ${manifestName}. Specify a folder created by countersign backup.`,
      { cause },
    );
  }
  const manifest = parseManifest(text);
  if (manifest !== null) return manifest;
  throw new StoreProblem(
    `The ${manifestName} in ${path} cannot be used: it is damaged, or a newer release wrote it. Use another backup, or that release.`,
  );
}

function parseManifest(text: string): Manifest | null {
  const json = parseObject(text);
  if (json === null || json.format !== format) return null;
  const { kind, created_at: createdAt, release, migrations, files, rows } = json;
  if (kind !== "sqlite" && kind !== "postgres") return null;
  if (typeof createdAt !== "string" || typeof release !== "string") return null;
  if (!Array.isArray(migrations) || !migrations.every((name) => typeof name === "string")) return null;
  if (!Array.isArray(files) || !files.every(isBackupFile)) return null;
  if (!isObject(rows) || !countedTables.every((table) => Number.isSafeInteger(rows[table]))) return null;
  return { kind, createdAt, release, migrations, files, rows: rowCounts((table) => Number(rows[table])) };
}

/** Size and checksum of each file, once it is on disk. */
async function describeFiles(folder: string, names: readonly string[]): Promise<BackupFile[]> {
  const files: BackupFile[] = [];
  for (const name of names) {
    const path = join(folder, name);
    syncToDisk(path);
    files.push({ name, bytes: statSync(path).size, sha256: await checksum(path) });
  }
  return files;
}

/** Throws unless each file exists and is, byte for byte, the one in the manifest. */
export async function checkFiles(
  folder: string,
  manifest: Manifest,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const path = resolve(folder, name);
    const expected = manifest.files.find((file) => file.name === name);
    const actual = await checksum(path).catch((cause: unknown) => {
      throw new StoreProblem(`The backup is incomplete: ${path} cannot be read. Use another backup.`, {
        cause,
      });
    });
    if (actual !== expected?.sha256) {
      throw new StoreProblem(
        `${path} is not the file that the manifest describes: its checksum differs. Use another backup.`,
      );
    }
  }
}

export function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function checksum(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isBackupFile(value: unknown): value is BackupFile {
  return (
    isObject(value) &&
    typeof value.name === "string" &&
    typeof value.bytes === "number" &&
    typeof value.sha256 === "string"
  );
}
