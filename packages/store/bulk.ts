import type { Kysely, RawBuilder, Selectable, SqlBool } from "kysely";
import type { Tables } from "./tables.ts";

/** What the two databases do quickly each in a way of its own. Everything here wants a transaction around it. */
export interface Bulk {
  /**
   * Inserts rows that all have the same columns, and returns how many were. `onConflict` is what follows the words
   * "on conflict" and means the same on both databases; without it a row that is there already is a failure.
   */
  insert<T extends keyof Tables>(
    db: Kysely<Tables>,
    table: T,
    rows: readonly Selectable<Tables[T]>[],
    onConflict?: string,
  ): Promise<number>;
  /** Whether a column is one of any number of values. They travel as one, so that the statement stays the same. */
  among(column: string, values: readonly string[]): RawBuilder<SqlBool>;
  /** Says that many transactions of this kind are coming, from here or from another thread. */
  expectMany(): Many;
  /** Keeps everybody else from changing these licenses until the transaction ends. */
  lockLicenses(db: Kysely<Tables>, ids: readonly string[]): Promise<void>;
}

/** Many transactions, one after the other. */
export interface Many {
  /** To be called between two of them, by whoever makes them. */
  between(): Promise<void>;
  over(): void;
}
