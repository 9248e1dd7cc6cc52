import { startOfDay } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";

/** When the log starts: nothing before that time is in it. Null if it is empty. */
export async function logStart(db: Database): Promise<number | null> {
  const first = await db.selectFrom("request_days").select("day").orderBy("day").limit(1).executeTakeFirst();
  const state = await db.selectFrom("request_log_state").select("cut_until").executeTakeFirst();
  return first === undefined ? null : Math.max(startOfDay(first.day), state?.cut_until ?? 0);
}
