import { existingDays } from "../../request-log/days.ts";
import { dayOf, logOf, startOfDay } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";
import type { RequestLogRow } from "../../tables/journal.ts";
import { everyRequest, filtered } from "./filter.ts";
import { readSpan } from "./read-span.ts";
import { ofDay, type TimeRange } from "./span.ts";

/** The newest requests of an organization since a time, the newest first. For times that are seconds ago. */
export async function newestRequests(
  db: Database,
  organizationId: string,
  sinceMs: number,
  limit: number,
): Promise<RequestLogRow[]> {
  const rows: RequestLogRow[] = [];
  for (const day of await daysSince(db, sinceMs)) {
    const span = { day, fromMs: sinceMs, untilMs: startOfDay(day + 1), times: null, rows: limit };
    const page = { order: "newest", after: null, limit: limit - rows.length } as const;
    if (page.limit > 0) rows.push(...(await readSpan(db, span, everyRequest(organizationId), page)));
  }
  return rows;
}

/** How many entries of an organization the log has within a short time. */
export async function countEntries(
  db: Database,
  organizationId: string,
  { fromMs, untilMs }: TimeRange,
): Promise<number> {
  let count = 0;
  for (const day of await daysSince(db, fromMs)) {
    const [row] = await ofDay(
      filtered(db.selectFrom(logOf(day)), everyRequest(organizationId))
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("at", ">=", fromMs)
        .where("at", "<", untilMs)
        .execute(),
    );
    count += Number(row?.count ?? 0);
  }
  return count;
}

async function daysSince(db: Database, ms: number): Promise<number[]> {
  return (await existingDays(db)).filter((day) => day >= dayOf(ms));
}
