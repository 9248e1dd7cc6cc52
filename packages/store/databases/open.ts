import type { MigrationOptions } from "../migrations/migration.ts";
import { migrateDatabase } from "../postgres/migrate.ts";
import type { Geo } from "../rollups/geo.ts";
import { upgradeFolder } from "../sqlite/upgrade.ts";
import type { DatabaseLocation, Journal, Store } from "../store.ts";
import type { SlowStatementObserver } from "../threads/slow-statements.ts";
import type { MainStore, WorkerOpening } from "../threads/worker-store.ts";

export type { DatabaseLocation };

export interface StoreOptions extends MigrationOptions {
  readonly encryptionKey: string | null;
  readonly durability: "standard" | "strict";
  /** A server takes exclusive ownership of the SQLite data folder; commands can run while it does. */
  readonly soleServer?: boolean;
  /** Called when a damaged request log was set aside: its new path, and what was wrong with it. */
  readonly journalSetAside?: (aside: string, reason: string) => void;
  /** For tests that control the time. Otherwise this is PostgreSQL's own clock, or the machine's on SQLite. */
  readonly now?: () => number;
  readonly slowStatement?: SlowStatementObserver | undefined;
}

// Only the database in use is loaded: the server starts faster.
const sqlite = () => import("../sqlite/store.ts");
const postgres = () => import("../postgres/store.ts");

/** Opens, migrates and returns the store. Throws a `StoreProblem` that an operator can act on. */
export async function openStore(location: DatabaseLocation, options: StoreOptions): Promise<MainStore> {
  switch (location.kind) {
    case "sqlite":
      return (await sqlite()).openSqlite({
        now: Date.now,
        soleServer: false,
        ...options,
        folder: location.folder,
      });
    case "postgres":
      return (await postgres()).openPostgres({ now: null, ...options, url: location.url });
  }
}

/** Opens, in a worker, the database that the main thread has open: see `MainStore.forWorker`. */
export async function openInWorker(
  opening: WorkerOpening,
  slowStatement?: SlowStatementObserver,
): Promise<Store> {
  switch (opening.kind) {
    case "sqlite":
      return (await sqlite()).openSqliteInWorker(opening, slowStatement);
    case "postgres":
      return (await postgres()).openPostgresInWorker(opening, slowStatement);
  }
}

/** `geo` is asked for the GeoIP file each time that requests are counted by country. */
export async function openJournal(
  location: DatabaseLocation,
  geo: () => Geo | null = () => null,
): Promise<Journal> {
  switch (location.kind) {
    case "sqlite":
      return new (await import("../sqlite/journal.ts")).SqliteJournal(location.folder, geo);
    case "postgres":
      return new (await import("../postgres/journal.ts")).PostgresJournal(location.url, geo);
  }
}

/** Brings the schema up to date and returns the names of the applied migrations. */
export async function migrate(location: DatabaseLocation, options: MigrationOptions = {}): Promise<string[]> {
  switch (location.kind) {
    case "sqlite":
      return upgradeFolder(location.folder, options);
    case "postgres":
      return migrateDatabase(location.url, options);
  }
}
