import type { Database } from "../../store.ts";

/** Removes expired sessions, up to this many; returns how many. */
export const removeOldSessions = removingExpired("sessions");

/** The same for unused links and codes, and for marks of used codes. */
export const removeOldVerifications = removingExpired("verifications");

/** The same for counts of attempts that have expired. */
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

/** The sign-in library's tables store times as text. */
function iso(ms: number): string {
  return new Date(ms).toISOString();
}
