import { StoreProblem } from "./problem.ts";

/** How a database is copied into a backup folder and back. Both kinds have one. */
export interface DatabaseCopier {
  readonly kind: "sqlite" | "postgres";
  readonly fileNames: readonly string[];
  /** Writes the files, while servers go on, and reads them back to see that they hold what they should. */
  copyOut(folder: string): Promise<Contents>;
  /**
   * Puts the files in the place of the database and brings them up to date, whole or not at all. What was there before
   * is kept aside.
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

/** Enough to tell a whole copy from an empty or a foreign one. */
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

/** Throws unless it was asked for: a restore takes the place of everything. */
export function refuseToReplace(organizations: number | "unreadable", force: boolean): void {
  if (force || organizations === 0) return;
  const found =
    organizations === "unreadable"
      ? "There is a database already, and it cannot be read."
      : `The database already holds ${organizations} ${organizations === 1 ? "organization" : "organizations"}.`;
  throw new StoreProblem(`${found} Add --force to replace it; what is there now will be kept aside.`);
}

/** Sorts by time and can stand in the name of a file or a schema. */
export function timeStamp(nowMs: number): string {
  return new Date(nowMs)
    .toISOString()
    .replace(/[-:.Z]/g, "")
    .toLowerCase();
}
