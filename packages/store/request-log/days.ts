import type { Database } from "../store.ts";

/** The days that have tables, the newest first. */
export async function existingDays(db: Database): Promise<number[]> {
  const rows = await db.selectFrom("request_days").select("day").orderBy("day", "desc").execute();
  return rows.map(({ day }) => day);
}

/** Whether a query failed because the tables of its day were dropped meanwhile: it then has no requests. */
export function isDayGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && error.code === undefinedTable) return true;
  return (
    /no such table: (main\.|journal\.)?request_(log|keys)_\d{8}/.test(error.message) || isDayGone(error.cause)
  );
}

const undefinedTable = "42P01";
