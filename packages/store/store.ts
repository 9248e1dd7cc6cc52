import type { Expression, Kysely, SqlBool } from "kysely";
import type { Bulk } from "./bulk.ts";
import type { Call, Judged } from "./calls.ts";
import type { Forgetting, JournalEntry } from "./journal.ts";
import type { Sealer } from "./sealer.ts";
import type { Tables } from "./tables.ts";

/** What queries are asked of: a connection, or a transaction on one. */
export type Database = Kysely<Tables>;

/** A database that Countersign keeps everything in. Two kinds exist and behave alike. */
export interface Store {
  readonly kind: "sqlite" | "postgres";
  readonly batching: Batching;
  readonly sealer: Sealer;
  /** For reading. What a transaction has not committed is not seen here. */
  readonly reads: Kysely<Tables>;
  /** The same for lists, which read along an index and in its order: the database should not choose another plan. */
  readonly alongIndexes: Kysely<Tables>;
  /**
   * For a library that writes on its own, a statement at a time: each is as lasting as a transaction. What Countersign
   * writes itself goes through `transaction`.
   */
  readonly direct: Kysely<Tables>;
  /**
   * Runs `work` alone with the right to write; when the promise resolves, what it wrote survives a power cut. Inside,
   * wait for nothing but queries of this transaction: on SQLite all other writers wait for it. It may be done again
   * from its beginning, after PostgreSQL undid it because of a deadlock or because somebody else was quicker, so it
   * changes nothing but the database.
   */
  transaction<T>(work: (db: Kysely<Tables>) => Promise<T>, lasting?: Lasting): Promise<T>;
  /** Many rows at once, inside a transaction. */
  readonly bulk: Bulk;
  /**
   * The licenses of an organization whose search text holds `term`, which is in lower case and has three characters or
   * more. Null when there are more than `most`, or when no index tells quickly.
   */
  searchLicenses(
    organizationId: string,
    words: readonly string[],
    most: number,
  ): Promise<readonly string[] | null>;
  /**
   * How many licenses there are with all of this, in one statement that may read all of them. Null when that takes too
   * long, or where nothing else would be done meanwhile.
   */
  countLicenses(where: readonly Expression<SqlBool>[], longestMs: number): Promise<number | null>;
  /**
   * For the one thread of a server that does everything but validate: from now on it keeps the search index up to
   * date, and the counts of licenses short. Failures are reported, and tried again.
   */
  startUpkeep(trouble: (reason: string) => void): void;
  /** Authenticates, counts and decides calls of the public API together. One answer for each, in the same order. */
  judge(calls: readonly Call[]): Promise<readonly Judged[]>;
  /**
   * The same, where a call that needs a row which another session of PostgreSQL has locked makes no other call wait: its
   * answer is a promise, which rejects with `StorageUnavailable` when the row does not get free in time.
   */
  judgeEach(calls: readonly Call[]): Promise<readonly (Judged | Promise<Judged>)[]>;
  /**
   * The same database for work in the background. On PostgreSQL it has connections of its own, so that neither this work
   * nor management has to wait until the other lets go of some. It closes with the store.
   */
  withOwnConnections(work: Work): Store;
  /** How many calls of the public API this process has judged: tells work in the background whether somebody waits. */
  readonly judgedCalls: number;
  /** Another number after whatever anybody wrote, where the database tells that at no cost; null where it does not. */
  readonly lastWrite: number | null;
  /**
   * Does what a validation does, without changing anything of it: takes the same locks, writes, and waits for the disk
   * as long. Rejects with `StorageUnavailable` when validations cannot be answered. With `needsSpace`, also when tables
   * cannot grow.
   */
  ping(options?: { readonly needsSpace: boolean }): Promise<void>;
  /** Milliseconds since 1970, by the clock that quota days are counted with. */
  clock(): Promise<number>;
  close(): Promise<void>;
}

export type Work = "webhooks" | "jobs";

/** Which database, and where. */
export type DatabaseLocation =
  | { readonly kind: "sqlite"; readonly folder: string }
  | { readonly kind: "postgres"; readonly url: string };

/**
 * `soon` does not wait for the disk: a power cut may take it, but never without everything that was written after it.
 * For one step of many, where the last one waits.
 */
export type Lasting = "now" | "soon";

export interface Batching {
  readonly maxCalls: number;
  readonly maxInFlight: number;
}

/** Where observations go. Lives in a thread of its own, beside the store. */
export interface Journal {
  append(entries: readonly JournalEntry[]): Promise<void>;
  /** Removes request log rows older than this; returns how many it removed, a bounded number at a time. */
  prune(beforeMs: number): Promise<number>;
  /** Removes some of what was written down about an organization, and says how to go on; null when all is done. */
  forget(step: Forgetting): Promise<Forgetting | null>;
  close(): Promise<void>;
}
