import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import type { AuditLogArchive } from "../../base/config.ts";
import { type Log, reasonOf } from "../../base/log.ts";
import { asJsonLine, showToOrganization } from "./show.ts";

/** Entries could not be written to the archive. */
export class ArchiveProblem extends Error {
  override readonly name = "ArchiveProblem";
}

/**
 * Writes entries of one organization and day to a file, in the format of the export. When this resolves, the file
 * survives a power failure. Its name contains a hash of its contents: a repeat writes the same file, and never replaces
 * one with other entries.
 */
export async function writeArchive(folder: string, entries: readonly AuditLogRow[]): Promise<void> {
  const [first] = entries;
  if (first?.organization_id == null) throw new Error("There is nothing to archive.");
  const text = entries.map(showToOrganization).map(asJsonLine).join("");
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const day = new Date(first.at).toISOString().slice(0, 10);
  const ofOrganization = join(folder, first.organization_id);
  const path = join(ofOrganization, `${day}-${hash}.jsonl.gz`);
  // Several nodes can write to the same folder.
  const unfinished = `${path}.${randomBytes(6).toString("hex")}.part`;
  try {
    // A missing folder may be a disk that is not mounted: it is not created.
    await mkdir(ofOrganization, { mode: 0o700 }).catch(unlessItExists);
    await writeDurably(unfinished, await promisify(gzip)(text));
    await rename(unfinished, path);
    await syncFolder(ofOrganization);
    await syncFolder(folder);
  } catch (cause) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw new ArchiveProblem(`The audit log cannot be archived to ${path}: ${reasonOf(cause)}`, { cause });
  }
}

/** Why entries cannot be archived to this folder, in a sentence; null if they can. */
export async function archiveProblem(folder: string): Promise<string | null> {
  const fix = "It must be a folder that the user who runs the server can write to.";
  const probe = join(folder, `check-${randomBytes(6).toString("hex")}.part`);
  try {
    if (!(await stat(folder)).isDirectory())
      return `COUNTERSIGN_AUDIT_LOG_ARCHIVE is ${folder}, which is not a folder. ${fix}`;
    await writeDurably(probe, "x".repeat(4_096));
    return null;
  } catch (error) {
    const problem = isMissing(error) ? "does not exist" : `cannot be written: ${reasonOf(error)}`;
    return `COUNTERSIGN_AUDIT_LOG_ARCHIVE is ${folder}, which ${problem}. ${fix}`.replace("..", ".");
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

/** At the start, so that a mistyped folder is noticed before anything is due. Validations do not depend on it. */
export async function logArchiveProblem(archive: AuditLogArchive | null, log: Log): Promise<void> {
  if (archive === null || archive === "none") return;
  const problem = await archiveProblem(archive.folder);
  if (problem !== null) log.error(problem);
}

async function writeDurably(path: string, contents: string | Buffer): Promise<void> {
  await withFile(await open(path, "wx", 0o600), async (file) => {
    await file.writeFile(contents);
    await file.sync();
  });
}

/** A new name in a folder survives a power failure only if the folder was written too. Windows does not need that. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  await withFile(await open(path, "r"), (folder) => folder.sync());
}

async function withFile(file: FileHandle, work: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

function unlessItExists(error: unknown): void {
  if (codeOf(error) !== "EEXIST") throw error;
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
