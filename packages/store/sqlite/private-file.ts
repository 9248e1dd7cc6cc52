import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";

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
export function makePrivateFolder(folder: string): void {
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
