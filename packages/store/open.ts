import { PostgresJournal } from "./postgres/journal.ts";
import { openPostgres, openPostgresInWorker } from "./postgres/store.ts";
import { SqliteJournal } from "./sqlite/journal.ts";
import { openSqlite, openSqliteInWorker } from "./sqlite/store.ts";
import type { DatabaseLocation, Journal, Store } from "./store.ts";
import type { MainStore, WorkerOpening } from "./worker-store.ts";

export type { DatabaseLocation };

export interface StoreOptions {
  readonly encryptionKey: string | null;
  readonly durability: "standard" | "strict";
  /** A server takes the SQLite data folder for itself; commands work beside it. */
  readonly soleServer?: boolean;
  /** Told when a damaged request log was moved out of the way: where it is kept, and what was wrong with it. */
  readonly journalSetAside?: (aside: string, reason: string) => void;
  /** For tests that need to choose the time. PostgreSQL's own clock is used otherwise, and the machine's on SQLite. */
  readonly now?: () => number;
}

/** Opens, migrates and returns the store. Throws a `StoreProblem` that an operator can act on. */
export async function openStore(location: DatabaseLocation, options: StoreOptions): Promise<MainStore> {
  switch (location.kind) {
    case "sqlite":
      return openSqlite({ now: Date.now, soleServer: false, ...options, folder: location.folder });
    case "postgres":
      return openPostgres({ now: null, ...options, url: location.url });
  }
}

/** Opens, in a worker, the database that the main thread has open: see `MainStore.forWorker`. */
export async function openInWorker(opening: WorkerOpening): Promise<Store> {
  switch (opening.kind) {
    case "sqlite":
      return openSqliteInWorker(opening);
    case "postgres":
      return openPostgresInWorker(opening);
  }
}

export async function openJournal(location: DatabaseLocation): Promise<Journal> {
  switch (location.kind) {
    case "sqlite":
      return new SqliteJournal(location.folder);
    case "postgres":
      return new PostgresJournal(location.url);
  }
}
