import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { StoreProblem } from "../errors/problem.ts";
import type { SqliteFiles } from "./files.ts";

/**
 * Detects a database that is missing or empty next to files that belong to one: it was moved or lost, and a start would
 * create a new installation in its place. Null if all is well, or if there are no files at all.
 */
export function lostDatabase({ folder, main, journal, search }: SqliteFiles): string | null {
  if ((statSync(main, { throwIfNoEntry: false })?.size ?? 0) > 0) return null;
  const left = [journal, search, `${main}-wal`]
    .filter((path) => existsSync(path))
    .map((path) => basename(path));
  if (left.length === 0) return null;
  const found = existsSync(main) ? "is empty" : "is missing";
  return (
    `${basename(main)} ${found} in ${folder}, where ${left.join(" and ")} of an earlier installation ${left.length === 1 ? "is" : "are"} left. ` +
    "Put it back or restore a backup with countersign restore; to begin a new installation, set COUNTERSIGN_DATA to an empty folder."
  );
}

export function refuseLostDatabase(files: SqliteFiles): void {
  const problem = lostDatabase(files);
  if (problem !== null) throw new StoreProblem(problem);
}
