import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { ImpersonationRow } from "../../tables/platform.ts";

/** Until when this session can view this organization; nothing if it cannot. */
export const activeImpersonation = prepared(
  (db, sessionId: string, userId: string, organizationId: string, nowMs: number) =>
    db
      .selectFrom("impersonations")
      .select("expires_at")
      .where("session_id", "=", sessionId)
      .where("user_id", "=", userId)
      .where("organization_id", "=", organizationId)
      .where("expires_at", ">", nowMs),
).first;

/** The organizations that this session can look at, and until when. There are never many. */
export const activeImpersonations = prepared((db, sessionId: string, userId: string, nowMs: number) =>
  db
    .selectFrom("impersonations")
    .select(["organization_id", "expires_at"])
    .where("session_id", "=", sessionId)
    .where("user_id", "=", userId)
    .where("expires_at", ">", nowMs),
).all;

/** How many organizations a user looks at, in all sessions, except with this session at this organization. */
export async function countOtherImpersonations(
  db: Database,
  { user_id: userId, session_id: sessionId, organization_id: organizationId }: ImpersonationRow,
  nowMs: number,
): Promise<number> {
  const { count } = await db
    .selectFrom("impersonations")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("expires_at", ">", nowMs)
    .where((is) => is.or([is("session_id", "!=", sessionId), is("organization_id", "!=", organizationId)]))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A session that already looks at the organization gets the new reason and the new end. */
export async function startImpersonation(db: Database, row: ImpersonationRow): Promise<void> {
  await db
    .insertInto("impersonations")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["session_id", "organization_id"]).doUpdateSet({
        user_id: row.user_id,
        reason: row.reason,
        started_at: row.started_at,
        expires_at: row.expires_at,
      }),
    )
    .execute();
}

/** Returns what ended, if there was anything to end. */
export async function endImpersonation(
  db: Database,
  sessionId: string,
  organizationId: string,
): Promise<ImpersonationRow | undefined> {
  return db
    .deleteFrom("impersonations")
    .where("session_id", "=", sessionId)
    .where("organization_id", "=", organizationId)
    .returningAll()
    .executeTakeFirst();
}

/** Ends all of a user, and returns them. */
export async function endImpersonationsOf(db: Database, userId: string): Promise<ImpersonationRow[]> {
  return db.deleteFrom("impersonations").where("user_id", "=", userId).returningAll().execute();
}
