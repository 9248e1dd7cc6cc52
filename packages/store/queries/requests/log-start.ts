import { startOfDay } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";

/** When an organization's log starts: nothing before that time is in it. Null if there is no log. */
export async function logStart(db: Database, organizationId: string): Promise<number | null> {
  const first = await db.selectFrom("request_days").select("day").orderBy("day").limit(1).executeTakeFirst();
  const state = await db.selectFrom("request_log_state").select("cut_until").executeTakeFirst();
  const cut = await db
    .selectFrom("request_log_cuts")
    .select("cut_until")
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return first === undefined
    ? null
    : Math.max(startOfDay(first.day), state?.cut_until ?? 0, cut?.cut_until ?? 0);
}
