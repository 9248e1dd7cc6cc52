import { StoreProblem } from "../problem.ts";
import type { Migration } from "./migration.ts";

/** A schema made by a later release may mean something else: better not to touch it. */
export function newerThanThis(applied: readonly string[], known: readonly Migration[]): void {
  const unknown = applied.find((name) => !known.some((migration) => migration.name === name));
  if (unknown !== undefined) {
    throw new StoreProblem(
      `The database holds migration ${unknown}, which this release does not know. Start the newer release that made it.`,
    );
  }
}
