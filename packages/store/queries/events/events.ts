import { hourMs } from "@countersign/domain/dates/lengths";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { EventRow } from "../../tables/events.ts";
import { idsWithin } from "../index-range.ts";

const rowsAtOnce = 500;

export async function addEvents(db: Database, rows: readonly EventRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce)
    await addRows(db, rows.slice(start, start + rowsAtOnce));
}

const addRows = prepared((db, rows: readonly EventRow[]) => db.insertInto("events").values(rows)).run;

export interface EventFilter {
  readonly organizationId: string;
  readonly licenseId: string | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export interface EventPage {
  readonly after: string | null;
  readonly descending: boolean;
  /** Only IDs before this one. */
  readonly before: string | null;
  readonly limit: number;
}

/** Servers' clocks generate the IDs and the database's clock the times. They differ by less than this. */
const clocksDifferMs = hourMs;

/** The organization's events, or the license's, in the order of their IDs. */
export async function eventsAfter(
  db: Database,
  { organizationId, licenseId, fromMs, toMs }: EventFilter,
  { after, descending, before, limit }: EventPage,
): Promise<EventRow[]> {
  const range = {
    // An index can seek to the IDs; the times are what was requested.
    from: fromMs === null ? null : firstUuidAt(Math.max(0, fromMs - clocksDifferMs)),
    after: descending ? null : after,
    before: [
      toMs === null ? null : firstUuidAt(Math.max(0, toMs + clocksDifferMs)),
      descending ? after : null,
      before,
    ],
  };
  const start = licenseId === null ? { organization_id: organizationId } : { license_id: licenseId };
  let query = db.selectFrom("events").selectAll().where(idsWithin(start, range));
  // Without this, the index of events with a license is not used.
  if (licenseId !== null) query = query.where("license_id", "is not", null);
  if (fromMs !== null) query = query.where("at", ">=", fromMs);
  if (toMs !== null) query = query.where("at", "<", toMs);
  const direction = descending ? "desc" : "asc";
  return query
    .orderBy(licenseId === null ? "organization_id" : "license_id", direction)
    .orderBy("id", direction)
    .limit(limit)
    .execute();
}
