import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { PortalSessionRow } from "../../tables.ts";

export async function addPortalSession(db: Database, row: PortalSessionRow): Promise<void> {
  await db.insertInto("portal_sessions").values(row).execute();
}

export const portalSessionByHash = prepared((db, tokenHash: string) =>
  db.selectFrom("portal_sessions").selectAll().where("token_hash", "=", tokenHash),
).first;

export async function touchPortalSession(db: Database, id: string, nowMs: number): Promise<void> {
  await db.updateTable("portal_sessions").set({ last_used_at: nowMs }).where("id", "=", id).execute();
}

const identities = prepared((db, personId: string) =>
  db.selectFrom("portal_identities").selectAll().where("person_id", "=", personId).orderBy("verified_at"),
);

/** What the person has proven to own, oldest first. */
export const portalIdentitiesOf = identities.all;
