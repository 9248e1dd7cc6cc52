import { type Expression, type Kysely, type SqlBool, sql } from "kysely";
import type { Tables } from "../tables.ts";
import { isStatementTimeout } from "./errors.ts";

/** Null if it takes longer than that. */
export async function countLicenses(
  reads: Kysely<Tables>,
  where: readonly Expression<SqlBool>[],
  longestMs: number,
): Promise<number | null> {
  try {
    return await reads.transaction().execute(async (db) => {
      const limit = String(Math.max(1, Math.floor(longestMs)));
      await sql`select set_config('jit', 'off', true), set_config('statement_timeout', ${limit}, true)`.execute(
        db,
      );
      let query = db.selectFrom("licenses").select((is) => is.fn.countAll<number>().as("count"));
      for (const condition of where) query = query.where(condition);
      return Number((await query.executeTakeFirstOrThrow()).count);
    });
  } catch (error) {
    if (isStatementTimeout(error)) return null;
    throw error;
  }
}
