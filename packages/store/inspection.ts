/** What a database says about its health. Looking changes nothing in it. */
export interface Inspection {
  /** Such as "SQLite 3.53.4". */
  readonly version: string;
  /** What is between the server and the database, in sentences; empty when nothing is. */
  readonly connection: readonly string[];
  readonly appliedMigrations: readonly string[];
  /** How far the database's clock is ahead of this machine's. */
  readonly clockAheadMs: number;
  /** What the database found wrong with itself. */
  readonly damage: readonly string[];
  /** Why nothing can be written; null when it can. */
  readonly writeProblem: string | null;
  /** Why parts of license keys and names are not found by an index; null when they are, or before the first start. */
  readonly textIndex: MissingTextIndex | null;
  /** How many kept counts of licenses differ from what there is; null where they could not be compared. */
  readonly wrongCounts: number | null;
  /** The key that secrets are encrypted with, as it is stored; null before the first start. */
  readonly storedDataKey: string | null;
  /** How many servers, or connections of servers, are at work on it. */
  readonly serversAtWork: number;
  /** What was found about SQLite's files; null on PostgreSQL. */
  readonly files: FileFindings | null;
}

export interface FileFindings {
  /** What is wrong with the request log, which the next start sets aside. */
  readonly journalDamage: string | null;
  /** What is wrong with the text index, which the server makes again. */
  readonly searchDamage: string | null;
  /** Files with secrets that other users of the machine may read. */
  readonly readableByOthers: readonly string[];
}

export interface MissingTextIndex {
  /** What the database server would have to be given first. */
  readonly unavailableExtensions: readonly string[];
  /** What makes the index, as somebody who may do that. */
  readonly statements: readonly string[];
}
