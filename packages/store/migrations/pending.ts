import { StoreProblem } from "../errors/problem.ts";
import type { Migration } from "./migration.ts";

/** A schema from a later release may mean something else, so it is not touched. */
export function newerThanThis(applied: readonly string[], known: readonly Migration[]): void {
  const unknown = applied.find((name) => !known.some((migration) => migration.name === name));
  if (unknown !== undefined) {
    throw new StoreProblem(
      `The database has migration ${unknown}, which this release does not know. Start the newer release that applied it.`,
    );
  }
}
