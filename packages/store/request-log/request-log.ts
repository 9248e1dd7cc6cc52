import type { RollUps } from "../rollups/roll-up.ts";
import type { RequestKeyRow } from "../tables/journal.ts";

/**
 * The connection that writes the request log, and the statements that differ between the databases. What is the same is
 * written once, with `rows` and `change`: values are named $1, $2 and so on, and a list is one value. A transaction is
 * begun and ended by the journal.
 */
export interface RequestLog {
  readonly kind: "sqlite" | "postgres";
  rows<Row>(statement: string, ...values: readonly LogValue[]): Promise<Row[]>;
  /** Returns how many rows were changed. */
  change(statement: string, ...values: readonly LogValue[]): Promise<number>;
  /** Rows of tables that are not the journal's: on SQLite these are in another file, which is only read. */
  mainRows<Row>(statement: string, ...values: readonly LogValue[]): Promise<Row[]>;
  /** The condition that a column is one of a list of values. */
  among(column: string, list: `$${number}`): string;
  /** When the first request was that is in no segment yet. */
  firstOpenAt(): Promise<number | null>;
  /** Those of these keys that a segment has already. */
  storedKeys(segmentFrom: number, keys: readonly RequestKeyRow[]): Promise<RequestKeyRow[]>;
  /** Keys of one segment. Those that exist already are replaced. */
  writeKeys(keys: readonly RequestKeyRow[]): Promise<void>;
  /** Adds to the roll-ups, in the transaction that adds the rows that they were counted from to a segment. */
  writeRollUps(rollUps: RollUps): Promise<void>;
  dropDay(day: number): Promise<void>;
}

export type LogValue = string | number | null | readonly string[];
