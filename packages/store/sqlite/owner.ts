import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreProblem } from "../errors/problem.ts";
import type { SqliteFiles } from "./files.ts";
import { makePrivate } from "./private-file.ts";

/**
 * Reserves the data folder for one server. The lock is an exclusive transaction on a separate database, so the
 * operating system releases it however the process ends.
 */
export function takeOwnership(files: SqliteFiles): () => void {
  makePrivate(files.owner);
  const lock = new DatabaseSync(files.owner);
  try {
    lock.exec("pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive");
  } catch (cause) {
    lock.close();
    throw new StoreProblem(
      `The data folder ${files.folder} is in use by another Countersign server. Stop that one, or set COUNTERSIGN_DATA to another folder.`,
      { cause },
    );
  }
  return () => lock.close();
}

/** Whether a server owns the folder now. */
export function isOwned(files: SqliteFiles): boolean {
  if (!existsSync(files.owner)) return false;
  const lock = new DatabaseSync(files.owner);
  try {
    lock.exec("pragma busy_timeout = 0");
    lock.prepare("select count(*) from sqlite_master").get();
    return false;
  } catch {
    return true;
  } finally {
    lock.close();
  }
}
