import { type Expression, type Kysely, type SqlBool, sql } from "kysely";
import { containing } from "../queries/licenses/search.ts";
import type { Tables } from "../tables.ts";
import { isStatementTimeout } from "./errors.ts";

/** Null if there are more than `most`, or if finding out would take too long. */
export async function searchLicenses(
  reads: Kysely<Tables>,
  organizationId: string,
  words: readonly string[],
  most: number,
): Promise<string[] | null> {
  try {
    return await reads.transaction().execute(async (db) => {
      // Use only the text index: any other plan is something the caller does better, in small steps.
      await sql`select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true),
        set_config('jit', 'off', true), set_config('statement_timeout', '250', true)`.execute(db);
      const licenses = db.selectFrom("licenses").select("id").where("organization_id", "=", organizationId);
      const rows = await words
        .reduce((query, word) => query.where(containing("search_text", word)), licenses)
        .limit(most + 1)
        .execute();
      return rows.length > most ? null : rows.map((row) => row.id);
    });
  } catch (error) {
    if (isStatementTimeout(error)) return null;
    throw error;
  }
}

/** Null if it takes longer than that. */
export async function countLicenses(
  reads: Kysely<Tables>,
  where: readonly Expression<SqlBool>[],
  timeoutMs: number,
): Promise<number | null> {
  try {
    return await reads.transaction().execute(async (db) => {
      const limit = String(Math.max(1, Math.floor(timeoutMs)));
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
