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
