import { StoreProblem } from "./errors/problem.ts";

/** Copies a database to a backup folder and back. There is one for each kind of database. */
export interface DatabaseCopier {
  readonly kind: "sqlite" | "postgres";
  readonly fileNames: readonly string[];
  /** Writes the files while servers run, and reads them back to verify them. */
  copyOut(folder: string): Promise<Contents>;
  /**
   * Replaces the database with the files and migrates them, completely or not at all. The previous data is set aside.
   */
  copyIn(folder: string, contents: Contents, options: CopyInOptions): Promise<CopiedIn>;
}

export interface Contents {
  readonly rows: RowCounts;
  readonly migrations: readonly string[];
}

export interface CopyInOptions {
  readonly force: boolean;
  readonly nowMs: number;
}

export interface CopiedIn {
  readonly migrationsApplied: readonly string[];
  readonly keptAside: readonly string[];
}

/** Enough to tell a complete copy from an empty or an unrelated one. */
export const countedTables = ["organizations", "products", "licenses"] as const;
export type RowCounts = Readonly<Record<(typeof countedTables)[number], number>>;

export function rowCounts(count: (table: (typeof countedTables)[number]) => number): RowCounts {
  return { organizations: count("organizations"), products: count("products"), licenses: count("licenses") };
}

export function checkRows(found: RowCounts, expected: RowCounts): void {
  const wrong = countedTables.find((table) => found[table] !== expected[table]);
  if (wrong === undefined) return;
  throw new StoreProblem(
    `The copy holds ${found[wrong]} ${wrong} where there should be ${expected[wrong]}. Nothing was changed; make a new backup.`,
  );
}

/** Throws unless it was requested: a restore replaces everything. */
export function refuseToReplace(organizations: number | "unreadable", force: boolean): void {
  if (force || organizations === 0) return;
  const found =
    organizations === "unreadable"
      ? "There is a database already, and it cannot be read."
      : `The database already holds ${organizations} ${organizations === 1 ? "organization" : "organizations"}.`;
  throw new StoreProblem(`${found} Add --force to replace it; the current data will be set aside.`);
}

/** Sorts by time and can be part of a file or schema name. */
export function timeStamp(nowMs: number): string {
  return new Date(nowMs)
    .toISOString()
    .replace(/[-:.Z]/g, "")
    .toLowerCase();
}
