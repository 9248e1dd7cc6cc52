import type { DatabaseSync } from "node:sqlite";

/**
 * Undoes the transaction if there still is one. Some failures, a full disk among them, have already ended it, and the
 * error that matters is the one before.
 */
export function rollback(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec("rollback");
  } catch {
    // What cannot even be undone is undone when the connection closes; the next `begin` says so.
  }
}
