import type { Kysely, RawBuilder, Selectable, SqlBool } from "kysely";
import type { Tables } from "./tables.ts";

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
