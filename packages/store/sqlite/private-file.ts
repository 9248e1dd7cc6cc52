import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";

const others = 0o077;

/**
 * Makes the database file if need be, readable for its owner alone, and tightens one that is there with what belongs to
 * it. SQLite would go by the umask, which lets others read on most machines; a new log gets the rights of its database.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
    // The umask may have taken away more than others' rights.
    chmodSync(path, 0o600);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EEXIST") throw error;
  }
  for (const end of ["", "-wal", "-shm"]) tighten(path + end);
}

/** Makes a folder that is not there for its owner alone. One that is there may hold other things, and stays as it is. */
export function makePrivateFolder(folder: string): void {
  // The topmost folder that had to be made; undefined when all of them were there.
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(folder, 0o700);
}

/** Whether others may read it. Where there are no such rights, as on Windows, nobody is known to. */
export function othersMayRead(path: string): boolean {
  if (process.platform === "win32") return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & others) !== 0;
}

function tighten(path: string): void {
  try {
    if (othersMayRead(path)) chmodSync(path, 0o600);
  } catch {
    // It belongs to another user. The doctor says so.
  }
}
