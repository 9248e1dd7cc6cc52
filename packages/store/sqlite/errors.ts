import type { DatabaseSync } from "node:sqlite";
import { type StorageReason, storageErrors } from "../errors/problem.ts";

/** Null if the files are fine. */
function reasonFor(error: unknown): StorageReason | null {
  if (!(error instanceof Error)) return null;
  // The low byte is SQLite's primary result code.
  if ("errcode" in error && typeof error.errcode === "number")
    return byResult.get(error.errcode & 255) ?? null;
  return "code" in error ? (byFileError.get(String(error.code)) ?? null) : null;
}

/** SQLITE_BUSY and LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL and NOTADB. */
const byResult: ReadonlyMap<number, StorageReason> = new Map([
  [5, "locked"],
  [6, "locked"],
  [8, "read_only"],
  [10, "damaged"],
  [11, "damaged"],
  [13, "full"],
  [14, "unreachable"],
  [15, "locked"],
  [26, "damaged"],
]);

/** Errors that can occur when syncing the log file to disk. */
const byFileError: ReadonlyMap<string, StorageReason> = new Map([
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EROFS", "read_only"],
  ["EACCES", "read_only"],
  ["EPERM", "read_only"],
  ["EIO", "damaged"],
  ["ENOENT", "unreachable"],
  ["EMFILE", "unreachable"],
  ["ENFILE", "unreachable"],
]);

const sentences: Readonly<Record<StorageReason, string>> = {
  unreachable: "The SQLite database cannot be opened.",
  read_only: "The SQLite database cannot be written.",
  full: "The disk of the SQLite database is full.",
  locked: "Another program has locked the SQLite database.",
  slow: "The SQLite database took too long.",
  conflict: "The SQLite database was changed by others at the same time.",
  damaged: "The SQLite database cannot be read or written.",
  too_many_connections: "The SQLite database has no connection left.",
};

export const { storageError, unavailable } = storageErrors(reasonFor, sentences);

/**
 * Rolls back the transaction if there still is one. Some failures, such as a full disk, have already ended it, and the
 * error that matters is the earlier one.
 */
export function rollback(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec("rollback");
  } catch {
    // What cannot be rolled back is discarded when the connection closes; the next `begin` reports it.
  }
}
