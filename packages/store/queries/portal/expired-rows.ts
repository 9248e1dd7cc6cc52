import type { Database } from "../../store.ts";

/** Removes expired codes, up to this many; returns how many. */
export const removeExpiredPortalCodes = removingExpired("portal_codes");

/** The same for sessions. */
export const removeExpiredPortalSessions = removingExpired("portal_sessions");

function removingExpired(table: "portal_codes" | "portal_sessions") {
  return async (db: Database, nowMs: number, atMost: number): Promise<number> => {
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where("id", "in", (rows) =>
        rows
          .selectFrom(table)
          .select("id")
          .where("expires_at", "<=", nowMs)
          .orderBy("expires_at")
          .limit(atMost),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  };
}
