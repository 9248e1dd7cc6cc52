import type { Expression, Kysely, RawBuilder, Selectable, SqlBool } from "kysely";
import type { Call, CallResult } from "./batches/calls.ts";
import type { JournalDeletion, JournalEntry, JournalErasure } from "./journal.ts";
import type { LogCut, LogRetention, RetentionSettings } from "./log-retention.ts";
import type { Sealer } from "./secrets/sealer.ts";
import type { Tables } from "./tables.ts";

/** What runs queries: a connection, or a transaction on one. */
export type Database = Kysely<Tables>;

/** The database in which Countersign stores everything. There are two kinds, which behave alike. */
export interface Store {
  readonly kind: "sqlite" | "postgres";
  readonly batching: Batching;
  readonly sealer: Sealer;
  /** For reading. Uncommitted changes of a transaction are not visible here. */
  readonly reads: Kysely<Tables>;
  /** The same for lists, which read along an index and in its order: the database should not choose another plan. */
  readonly listReads: Kysely<Tables>;
  /**
   * For a library that writes single statements on its own: each is as durable as a transaction. Countersign's own
   * writes go through `transaction`.
   */
  readonly direct: Kysely<Tables>;
  /**
   * Runs `work` with the exclusive right to write; when the promise resolves, its writes survive a power failure.
   * Inside, wait for nothing but queries of this transaction: on SQLite all other writers wait for it. PostgreSQL may
   * roll it back because of a deadlock or a conflict, and it is then run again from the start, so it must change
   * nothing but the database.
   */
  transaction<T>(work: (db: Kysely<Tables>) => Promise<T>, lasting?: CommitDurability): Promise<T>;
  /** Bulk operations, inside a transaction. */
  readonly bulk: Bulk;
  /**
   * The IDs of the licenses of an organization whose search text contains all of `words`, which are lower-case and have
   * three characters or more. Null if there are more than `max`, or if no index can tell quickly.
   */
  searchLicenses(
    organizationId: string,
    words: readonly string[],
    max: number,
  ): Promise<readonly string[] | null>;
  /**
   * The number of licenses that match all of this, in one statement that may read all of them. Null if that takes too
   * long, or where it would block everything else.
   */
  countLicenses(where: readonly Expression<SqlBool>[], timeoutMs: number): Promise<number | null>;
  /**
   * For the one thread of a server that does everything but validate: from now on it keeps the search index up to date
   * and folds the license counts. Failures are reported and retried.
   */
  startUpkeep(trouble: (reason: string) => void): void;
  /**
   * Compares tables with their indexes, starting after one, until the time is over. Runs beside everything else, without
   * delaying it. Null on PostgreSQL, which has checksums and its own tools.
   */
  checkIntegrity(after: string | null, timeoutMs: number, signal: AbortSignal): Promise<IntegrityPart | null>;
  /**
   * Authenticates, counts and decides calls of the public API together. One result for each, in the same order. A call
   * that needs a row locked by another PostgreSQL session delays no other call: its result is a promise, which rejects
   * with `StorageUnavailable` if the row is not free in time.
   */
  validate(calls: readonly Call[]): Promise<readonly (CallResult | Promise<CallResult>)[]>;
  /**
   * The same database for background work. On PostgreSQL it has its own connections, so that background work and
   * management do not wait for each other's. It closes with the store.
   */
  withOwnConnections(work: BackgroundWork): Store;
  /**
   * How many calls of the public API this process has validated. Background work uses it to see whether callers wait.
   */
  readonly answeredCalls: number;
  /** A number that changes with every write, if the database provides that for free; null otherwise. */
  readonly lastWrite: number | null;
  /**
   * Does what a validation does without changing anything: takes the same locks, writes, and waits for the disk.
   * Rejects with `StorageUnavailable` if validations cannot be answered. With `needsSpace`, also if tables cannot grow.
   */
  ping(options?: { readonly needsSpace: boolean }): Promise<void>;
  /** Milliseconds since 1970, by the clock that quota days follow. */
  clock(): Promise<number>;
  close(): Promise<void>;
}

export type BackgroundWork = "webhooks" | "jobs";

/** Which database, and where. */
export type DatabaseLocation =
  | { readonly kind: "sqlite"; readonly folder: string }
  | { readonly kind: "postgres"; readonly url: string };

/**
 * `soon` does not wait for the disk: a power failure can lose it, but only together with everything written after it.
 * For one step of many, of which the last one waits.
 */
export type CommitDurability = "now" | "soon";

interface Batching {
  readonly maxCalls: number;
  readonly maxInFlight: number;
}

/** Receives log entries and sightings. Runs in its own thread, separate from the store. */
export interface Journal {
  append(entries: readonly JournalEntry[]): Promise<void>;
  /**
   * Closes the next segment of the request log if it is large or old enough, and returns how many rows it has; 0 if none
   * is due, or if another node is closing one.
   */
  closeSegment(nowMs: number): Promise<number>;
  /** How long requests are kept, and how much disk space they can take. */
  retention(environment: RetentionSettings): Promise<LogRetention>;
  /**
   * Deletes the oldest day of the request log if all of it is older than what is kept longest, and the refusals of days
   * that ended before what the server keeps, a bounded number at a time. Returns how many days and refusals.
   */
  prune(retention: LogRetention, nowMs: number): Promise<number>;
  /**
   * If the request log is larger than this, decides which organizations lose their oldest requests: those with the most.
   * The following sweeps delete them, and until these are done nothing more is decided.
   */
  trim(maxBytes: number): Promise<readonly LogCut[]>;
  /**
   * Deletes rows of organizations whose requests are kept for a shorter time or were cut, in the next segments of the
   * log. Returns how many segments were looked at; 0 once the log is done for today.
   */
  sweep(retention: LogRetention, nowMs: number): Promise<number>;
  /**
   * Gives the disk space of deleted requests back, of one day at a time. Returns how many days; 0 when done, and always
   * on SQLite, which uses the space again.
   */
  reclaim(nowMs: number): Promise<number>;
  /** Deletes part of an organization's journal data, and returns how to continue; null when done. */
  deleteOrganization(step: JournalDeletion): Promise<JournalDeletion | null>;
  /** Erases part of what the journal has about the licenses of a customer, and returns how to continue; null when done. */
  eraseLicenses(step: JournalErasure): Promise<JournalErasure | null>;
  close(): Promise<void>;
}

/** The result of checking some tables with all of their indexes. */
export interface IntegrityPart {
  /** What is wrong with each table that was checked, by file and table; null for nothing. In order. */
  readonly tables: readonly (readonly [table: string, damage: string | null])[];
  /** Whether no table follows these. */
  readonly isLast: boolean;
}

/** Bulk operations that each database does quickly in its own way. All of them require a transaction. */
export interface Bulk {
  /**
   * Inserts rows that all have the same columns, and returns how many were inserted. `onConflict` is what follows the
   * words "on conflict" and means the same on both databases; without it, an existing row is an error.
   */
  insert<T extends keyof Tables>(
    db: Kysely<Tables>,
    table: T,
    rows: readonly Selectable<Tables[T]>[],
    onConflict?: string,
  ): Promise<number>;
  /**
   * Whether a column is one of any number of values. They are sent as one value, so that the statement stays the same.
   */
  among(column: string, values: readonly string[]): RawBuilder<SqlBool>;
  /** Announces that many transactions of this kind follow, from this or another thread. */
  beginSession(): BulkSession;
  /** Prevents all other changes to these licenses until the transaction ends. */
  lockLicenses(db: Kysely<Tables>, ids: readonly string[]): Promise<void>;
}

/** Many transactions, one after the other. */
export interface BulkSession {
  /** Must be called between two transactions. */
  between(): Promise<void>;
  over(): void;
}
