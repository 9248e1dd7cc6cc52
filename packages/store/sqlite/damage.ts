import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { errorSentence, StoreProblem } from "../errors/problem.ts";

/** SQLITE_CORRUPT and SQLITE_NOTADB, with or without details in the higher bytes. */
const damaged = new Set([11, 26]);

/** Files up to this size are checked at every start; larger ones are left to doctor, or starts would take too long. */
const readThroughBytes = 16 * 1024 * 1024;

export class DamagedDatabase extends StoreProblem {
  constructor(path: string, damage: unknown) {
    super(
      `The database file ${path} is damaged: ${errorSentence(damage)} Check the disk, and restore the last backup with countersign restore.`,
      { cause: damage },
    );
  }
}

/** Throws if the file is damaged, as far as a few milliseconds can tell. */
export function checkUndamaged(database: DatabaseSync, path: string): void {
  const pages = Number(database.prepare("pragma page_count").get()?.page_count);
  const expectedBytes = pages * Number(database.prepare("pragma page_size").get()?.page_size);
  const bytes = sizeOf(path);
  // While the log holds pages, the file may be behind.
  if (bytes < expectedBytes && sizeOf(`${path}-wal`) === 0)
    throw new DamagedDatabase(path, `${expectedBytes - bytes} bytes are missing at its end.`);
  if (bytes > readThroughBytes) return;
  const answer = database.prepare("pragma integrity_check(1)").get()?.integrity_check;
  if (answer !== "ok") throw new DamagedDatabase(path, answer);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Whether SQLite says that the file itself is damaged, so that a retry does not help. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedDatabase) return true;
  if (!(error instanceof Error)) return false;
  if ("errcode" in error && damaged.has(Number(error.errcode) & 0xff)) return true;
  return isDamage(error.cause);
}

/** Renames a database and its log, so that a new one can take its place. Returns the new name. */
export function setAside(path: string, stamp: string): string {
  const aside = `${path}.damaged-${stamp}`;
  for (const end of ["-wal", ""]) if (existsSync(path + end)) renameSync(path + end, aside + end);
  rmSync(`${path}-shm`, { force: true });
  return aside;
}

export function removeDatabase(path: string): void {
  for (const end of ["-wal", "-shm", ""]) rmSync(path + end, { force: true });
}
