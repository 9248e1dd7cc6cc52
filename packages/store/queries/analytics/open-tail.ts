import { dayOf, existingDays, isDayGone, logOf } from "../../request-log/tables.ts";
import type { Geo } from "../../rollups/geo.ts";
import { RecentUse } from "../../rollups/recent-use.ts";
import { type RollUps, rollUp } from "../../rollups/roll-up.ts";
import type { RolledRow } from "../../rollups/sharing.ts";
import type { Database } from "../../store.ts";

/** Many times what is open at once, unless segments cannot be closed. */
const maxRead = 200_000;
const attempts = 5;

/**
 * Reads roll-ups together with the requests that are not in them yet, which are rolled up here. Neither contains a
 * request of the other: if a segment was closed meanwhile, both are read again.
 */
export async function withOpenTail<T>(
  db: Database,
  organizationId: string,
  geo: Geo | null,
  read: (tail: RollUps) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const closedUntil = await readClosedUntil(db);
    const rows = await openRows(db, organizationId, closedUntil);
    const result = await read(rollUp(rows, geo, new RecentUse()));
    if (attempt >= attempts || (await readClosedUntil(db)) === closedUntil) return result;
  }
}

async function readClosedUntil(db: Database): Promise<number> {
  const state = await db.selectFrom("request_log_state").select("closed_until").executeTakeFirst();
  return state?.closed_until ?? 0;
}

/** The rows of an organization after the last segment. Those of all organizations are read, along the primary key. */
async function openRows(db: Database, organizationId: string, sinceMs: number): Promise<RolledRow[]> {
  const days = (await existingDays(db)).filter((day) => day >= dayOf(sinceMs)).reverse();
  const rows: RolledRow[] = [];
  for (const day of days) {
    try {
      rows.push(...(await openRowsOf(db, day, organizationId, sinceMs)));
    } catch (error) {
      if (!isDayGone(error)) throw error;
    }
  }
  return rows;
}

function openRowsOf(
  db: Database,
  day: number,
  organizationId: string,
  sinceMs: number,
): Promise<RolledRow[]> {
  const columns = [
    ...(["at", "organization_id", "product_id", "license_id", "endpoint", "status", "ip"] as const),
    ...(["version", "device_id", "count", "sandbox"] as const),
  ];
  return db
    .selectFrom((from) =>
      from
        .selectFrom(logOf(day))
        .select(columns)
        .where("at", ">=", sinceMs)
        .orderBy("at")
        .limit(maxRead)
        .as("open"),
    )
    .select(columns)
    .where("organization_id", "=", organizationId)
    .orderBy("at")
    .execute();
}
