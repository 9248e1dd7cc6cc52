import { StoreProblem } from "../errors/problem.ts";
import type { Inspection } from "../inspection.ts";
import { journalMigrations, mainMigrations } from "../migrations/all.ts";
import { inspectPostgres } from "../postgres/inspect.ts";
import { openDataKey } from "../secrets/data-key.ts";
import { inspectSqlite } from "../sqlite/inspect.ts";
import type { DatabaseLocation } from "./open.ts";

/** Null when there is no database yet. Throws a `StoreProblem` when it cannot be reached or opened. */
export async function inspectDatabase(location: DatabaseLocation): Promise<Inspection | null> {
  switch (location.kind) {
    case "sqlite":
      return inspectSqlite(location.folder);
    case "postgres":
      return inspectPostgres(location.url);
  }
}

export function compareMigrations(applied: readonly string[]): { missing: string[]; unknown: string[] } {
  const known = [...mainMigrations, ...journalMigrations].map((migration) => migration.name);
  return {
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

type Sealing =
  | { readonly state: "none" | "plain" | "sealed" }
  | { readonly state: "locked"; readonly problem: string };

/** How the encryption key for secrets is protected, and whether this passphrase decrypts it. */
export function sealingOf(storedDataKey: string | null, passphrase: string | null): Sealing {
  if (storedDataKey === null) return { state: "none" };
  if (storedDataKey.startsWith("plain.")) return { state: "plain" };
  try {
    openDataKey(storedDataKey, passphrase);
    return { state: "sealed" };
  } catch (error) {
    if (error instanceof StoreProblem) return { state: "locked", problem: error.message };
    throw error;
  }
}
