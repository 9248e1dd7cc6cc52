import { StoreProblem } from "../errors/problem.ts";
import type { Inspection } from "../inspection.ts";
import { allMigrations } from "../migrations/all.ts";
import {
  type AppliedMigration,
  inOrder,
  isOlder,
  type Migration,
  refusing,
} from "../migrations/migration.ts";
import { inspectPostgres, type PostgresPlan, planPostgres } from "../postgres/inspect.ts";
import { openDataKey } from "../secrets/data-key.ts";
import { inspectSqlite } from "../sqlite/inspect.ts";
import { backupsFolder, planFolder } from "../sqlite/upgrade.ts";
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

/** Names of migrations. `refusing` are those of later releases that this release does not run with. */
export function compareMigrations(applied: readonly AppliedMigration[]) {
  const known = allMigrations.map(({ name }) => name);
  const names = applied.map(({ name }) => name);
  return {
    missing: known.filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !known.includes(name)),
    refusing: refusing(applied, allMigrations).map(({ name }) => name),
  };
}

/** What the next start, or `migrate`, would do. */
export interface MigrationPlan {
  /** `newer` if this release does not run on the database. */
  readonly state: "new" | "up_to_date" | "pending" | "newer";
  readonly pending: readonly PendingMigration[];
  /** Migrations of later releases. */
  readonly unknown: readonly string[];
  /** The oldest release that runs on the database afterwards. */
  readonly oldestRelease: string;
  /** The backup that is made first; null if none is. */
  readonly backup: { readonly folder: string; readonly bytes: number } | null;
}

interface PendingMigration extends Pick<Migration, "name" | "phase"> {
  /** Why it would be left for later now; null if it would be applied. */
  readonly postponed: string | null;
}

/** Changes nothing. */
export async function planMigrations(location: DatabaseLocation): Promise<MigrationPlan> {
  const { applied, pending, postponed, backup } = await planOf(location);
  const { unknown, refusing } = compareMigrations(applied);
  const oldest = [
    ...applied.map((one) => one.oldest_release),
    ...pending.filter(({ name }) => !postponed.has(name)).map((one) => one.oldestRelease),
  ].reduce((latest, release) => (isOlder(latest, release) ? release : latest));
  const state = refusing.length > 0 ? "newer" : pending.length === 0 ? "up_to_date" : "pending";
  return {
    state: applied.length === 0 ? "new" : state,
    pending: inOrder(pending).map(({ name, phase }) => ({
      name,
      phase,
      postponed: postponed.get(name) ?? null,
    })),
    unknown,
    oldestRelease: oldest,
    backup,
  };
}

async function planOf(location: DatabaseLocation): Promise<PostgresPlan & Pick<MigrationPlan, "backup">> {
  switch (location.kind) {
    case "sqlite": {
      const { applied, pending, postponed, backup } = planFolder(location.folder);
      const folder = backupsFolder(location);
      return {
        applied,
        pending,
        postponed,
        backup: backup === null ? null : { folder, bytes: backup.bytes },
      };
    }
    case "postgres":
      return { ...(await planPostgres(location.url)), backup: null };
  }
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
