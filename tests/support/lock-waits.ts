import type { Database } from "@countersign/store/store";
import { sql } from "kysely";

/** How many sessions of this PostgreSQL database wait for a lock. */
export async function lockWaits(db: Database): Promise<number> {
  const { rows } = await sql<{ count: string }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return Number(rows[0]?.count);
}
