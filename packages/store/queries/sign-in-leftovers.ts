import type { Database } from "../store.ts";

/** Removes sessions that ran out, up to so many; returns how many those were. */
export const removeOldSessions = removingExpired("sessions");

/** The same for links and codes that nobody used, and for marks of codes that were. */
export const removeOldVerifications = removingExpired("verifications");

/** The same for counts of attempts whose time is over. */
export async function removeOldAttempts(db: Database, nowMs: number, atMost: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("attempts")
    .where("name", "in", (attempts) =>
      attempts
        .selectFrom("attempts")
        .select("name")
        .where("ends_at", "<=", nowMs)
        .orderBy("ends_at")
        .limit(atMost),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

function removingExpired(table: "sessions" | "verifications") {
  return async (db: Database, nowMs: number, atMost: number): Promise<number> => {
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where("id", "in", (rows) =>
        rows
          .selectFrom(table)
          .select("id")
          .where("expires_at", "<", iso(nowMs))
          .orderBy("expires_at")
          .limit(atMost),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  };
}

/** The tables of the sign-in library have their times as texts. */
function iso(ms: number): string {
  return new Date(ms).toISOString();
}
