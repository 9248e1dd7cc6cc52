import type { Database } from "../../store.ts";
import type { PortalActionRow } from "../../tables/portal.ts";

/** What customers did themselves to a license since then, oldest first. Budgets keep this short. */
export async function portalActions(
  db: Database,
  licenseId: string,
  action: PortalActionRow["action"],
  sinceMs: number,
) {
  return db
    .selectFrom("portal_actions")
    .select(["at as atMs", "count"])
    .where("license_id", "=", licenseId)
    .where("action", "=", action)
    .where("at", ">", sinceMs)
    .orderBy("at")
    .execute();
}

export async function addPortalAction(db: Database, row: PortalActionRow): Promise<void> {
  await db.insertInto("portal_actions").values(row).execute();
}

/** Removes at most `count` actions from before that time. Returns how many. */
export async function removeOldPortalActions(db: Database, beforeMs: number, count: number): Promise<number> {
  const result = await db
    .deleteFrom("portal_actions")
    .where("id", "in", (from) =>
      from.selectFrom("portal_actions").select("id").where("at", "<", beforeMs).orderBy("at").limit(count),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
