import { PostgresJournal } from "./postgres/journal.ts";
import { openPostgres } from "./postgres/store.ts";
import { SqliteJournal } from "./sqlite/journal.ts";
import { openSqlite } from "./sqlite/store.ts";
import type { Journal, Store } from "./store.ts";

/** Which database, and where. Plain data, so that it can be handed to a thread. */
export type DatabaseLocation =
  | { readonly kind: "sqlite"; readonly folder: string }
  | { readonly kind: "postgres"; readonly url: string };

export interface StoreOptions {
  readonly encryptionKey: string | null;
  readonly durability: "standard" | "strict";
  /** A server takes the SQLite data folder for itself; commands work beside it. */
  readonly soleServer?: boolean;
  /** For tests that need to choose the time. PostgreSQL's own clock is used otherwise, and the machine's on SQLite. */
  readonly now?: () => number;
}

/** Opens, migrates and returns the store. Throws a `StoreProblem` that an operator can act on. */
export async function openStore(location: DatabaseLocation, options: StoreOptions): Promise<Store> {
  switch (location.kind) {
    case "sqlite":
      return openSqlite({ now: Date.now, soleServer: false, ...options, folder: location.folder });
    case "postgres":
      return openPostgres({ now: null, ...options, url: location.url });
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
