import { firstUuidAt } from "@countersign/domain/ids/uuid";
import type { Database } from "../store.ts";
import type { EventRow } from "../tables.ts";

const rowsAtOnce = 500;

export async function addEvents(db: Database, rows: readonly EventRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce)
    await db
      .insertInto("events")
      .values(rows.slice(start, start + rowsAtOnce))
      .execute();
}

export interface EventFilter {
  readonly organizationId: string;
  readonly licenseId: string | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export interface EventPage {
  readonly after: string | null;
  readonly descending: boolean;
  /** Only ids before this one. */
  readonly before: string | null;
  readonly limit: number;
}

/** Ids are made by the clocks of servers, times come from the database's: they differ by less than that. */
const clocksDifferMs = 3_600_000;

/** Along the organization's events, or the license's, in the order of their ids. */
export async function eventsAfter(
  db: Database,
  { organizationId, licenseId, fromMs, toMs }: EventFilter,
  { after, descending, before, limit }: EventPage,
): Promise<EventRow[]> {
  let query = db.selectFrom("events").selectAll();
  query =
    licenseId === null
      ? query.where("organization_id", "=", organizationId)
      : query.where("license_id", "=", licenseId);
  // The ids are what an index can seek to; the times are what was asked for.
  if (fromMs !== null)
    query = query
      .where("at", ">=", fromMs)
      .where("id", ">=", firstUuidAt(Math.max(0, fromMs - clocksDifferMs)));
  if (toMs !== null)
    query = query.where("at", "<", toMs).where("id", "<", firstUuidAt(Math.max(0, toMs + clocksDifferMs)));
  if (after !== null) query = query.where("id", descending ? "<" : ">", after);
  if (before !== null) query = query.where("id", "<", before);
  return query
    .orderBy("id", descending ? "desc" : "asc")
    .limit(limit)
    .execute();
}
