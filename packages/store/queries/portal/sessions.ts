import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { PortalSessionRow } from "../../tables/portal.ts";

export async function addPortalSession(db: Database, row: PortalSessionRow): Promise<void> {
  await db.insertInto("portal_sessions").values(row).execute();
}

/** The most sessions of one person. */
export const maxPortalSessions = 100;

/** Ends the oldest sessions of a person who has more than the most. */
export async function limitPortalSessions(db: Database, personId: string): Promise<void> {
  await db
    .deleteFrom("portal_sessions")
    .where("person_id", "=", personId)
    .where("id", "not in", (rows) =>
      rows
        .selectFrom("portal_sessions")
        .select("id")
        .where("person_id", "=", personId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(maxPortalSessions),
    )
    .execute();
}

/** Those that have not expired, newest first. */
export async function portalSessionsOf(db: Database, personId: string, nowMs: number) {
  return db
    .selectFrom("portal_sessions")
    .selectAll()
    .where("person_id", "=", personId)
    .where("expires_at", ">", nowMs)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(maxPortalSessions)
    .execute();
}

/** Whether there was one. */
export async function endPortalSession(db: Database, personId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("portal_sessions")
    .where("person_id", "=", personId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function endPortalSessions(db: Database, personId: string): Promise<void> {
  await db.deleteFrom("portal_sessions").where("person_id", "=", personId).execute();
}

export const portalSessionByHash = prepared((db, tokenHash: string) =>
  db.selectFrom("portal_sessions").selectAll().where("token_hash", "=", tokenHash),
).first;

export async function portalSessionById(db: Database, id: string): Promise<PortalSessionRow | undefined> {
  return db.selectFrom("portal_sessions").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function touchPortalSession(db: Database, id: string, nowMs: number): Promise<void> {
  await db.updateTable("portal_sessions").set({ last_used_at: nowMs }).where("id", "=", id).execute();
}

const identities = prepared((db, personId: string) =>
  db.selectFrom("portal_identities").selectAll().where("person_id", "=", personId).orderBy("verified_at"),
);

/** What the person has proven to own, oldest first. */
export const portalIdentitiesOf = identities.all;
