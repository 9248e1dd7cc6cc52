import type { AppliedMigration } from "./migrations/migration.ts";

/** The result of a database check. The check changes nothing in the database. */
export interface Inspection {
  /** Such as "SQLite 3.53.4". */
  readonly version: string;
  /** What is between the server and the database, in sentences. Empty if nothing is. */
  readonly connection: readonly string[];
  readonly appliedMigrations: readonly AppliedMigration[];
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
  /** What the operator has decided in the dashboard. Null before the first start. */
  readonly platform: PlatformFacts | null;
  /** How many servers, or connections of servers, use it. */
  readonly serversAtWork: number;
  /** The state of SQLite's files. Null on PostgreSQL. */
  readonly files: FileFindings | null;
}

export interface PlatformFacts {
  /** The stored settings that decide about new organizations, by name. */
  readonly settings: ReadonlyMap<string, string>;
  readonly plans: readonly PlanFacts[];
  /** Whether a plan or an organization limits how long its audit log is kept. */
  readonly limitsAuditLog: boolean;
}

/** The limits of a plan that matter if anyone can sign up. */
export interface PlanFacts {
  readonly id: string;
  readonly name: string;
  readonly daily_limit: number | null;
  readonly max_products: number | null;
}

export const platformSettingsQuery =
  "select name, value from platform_state where name in ('sign_up', 'default_plan')";
/** Only once `audit_log_cutoffs` exists: the same migration adds these columns. */
export const auditLogLimitsQuery = `select 1 as one from plans where audit_log_days is not null
  union all select 1 from organizations where audit_log_days_override is not null limit 1`;
export const planFactsQuery = "select id, name, daily_limit, max_products from plans";

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
