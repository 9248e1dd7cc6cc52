import type { DatabaseSync } from "node:sqlite";

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
