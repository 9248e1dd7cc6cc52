/** The result of a database check. The check changes nothing in the database. */
export interface Inspection {
  /** Such as "SQLite 3.53.4". */
  readonly version: string;
  /** What is between the server and the database, in sentences. Empty if nothing is. */
  readonly connection: readonly string[];
  readonly appliedMigrations: readonly string[];
  /** How far the database's clock is ahead of this machine's. */
  readonly clockAheadMs: number;
  /** Problems that the database reports about itself. */
  readonly damage: readonly string[];
  /** Why the database cannot be written. Null if it can. */
  readonly writeProblem: string | null;
  /** Why no index finds parts of license keys and names. Null if one does, or before the first start. */
  readonly textIndex: MissingTextIndex | null;
  /** How many stored license counts are wrong. Null if they could not be compared. */
  readonly wrongCounts: number | null;
  /** The key that encrypts secrets, as stored. Null before the first start. */
  readonly storedDataKey: string | null;
  /** How many servers, or connections of servers, use it. */
  readonly serversAtWork: number;
  /** The state of SQLite's files. Null on PostgreSQL. */
  readonly files: FileFindings | null;
}

export interface FileFindings {
  /** What is wrong with the request log. The next start sets it aside. */
  readonly journalDamage: string | null;
  /** What is wrong with the text index. The server rebuilds it. */
  readonly searchDamage: string | null;
  /** Files with secrets that other users of the machine can read. */
  readonly readableByOthers: readonly string[];
}

export interface MissingTextIndex {
  /** Extensions that must be installed on the database server first. */
  readonly unavailableExtensions: readonly string[];
  /** The statements that create the index, for a role that is allowed to run them. */
  readonly statements: readonly string[];
}
