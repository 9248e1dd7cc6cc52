import { hourMs } from "@countersign/domain/dates/lengths";
import { maxDistinctIps } from "@countersign/domain/events/thresholds";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { EventRow, EventSummaryRow } from "../../tables/events.ts";
import { idsWithin } from "../conditions.ts";

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

/** The counts of an hour, and the number of distinct IP addresses. */
export interface TakenSummary extends EventSummaryRow {
  readonly ipCount: number;
  /** False if there were more IP addresses than are told apart. */
  readonly isExact: boolean;
}

/**
 * Takes some counts from before this hour. The transaction that takes them records the event. Returns how many there
 * were, and those whose organization still exists.
 */
export async function takeSummaries(
  db: Database,
  beforeHour: number,
  atMost: number,
): Promise<{ found: number; taken: TakenSummary[] }> {
  const due = await db
    .selectFrom("event_summaries")
    .leftJoin("organizations", "organizations.id", "event_summaries.organization_id")
    .selectAll("event_summaries")
    .select("organizations.deleted_at")
    .where("hour", "<", beforeHour)
    .orderBy("hour")
    .orderBy("license_id")
    .orderBy("type")
    .limit(atMost)
    .execute();
  const taken: TakenSummary[] = [];
  for (const { deleted_at: deletedAt, ...row } of due) {
    const { hour, license_id: licenseId, type } = row;
    const removed = await db
      .deleteFrom("event_summaries")
      .where("hour", "=", hour)
      .where("license_id", "=", licenseId)
      .where("type", "=", type)
      .executeTakeFirst();
    if (removed.numDeletedRows === 0n || deletedAt !== null) continue;
    taken.push({ ...row, ...(await addressesOf(db, row)) });
  }
  return { found: due.length, taken };
}

async function addressesOf(
  db: Database,
  { hour, license_id: licenseId, type, count }: EventSummaryRow,
): Promise<{ ipCount: number; isExact: boolean }> {
  // Each registered IP address is a different one.
  if (type === "license.ip_registered") return { ipCount: count, isExact: true };
  const refused = await db
    .selectFrom("recorded_refusals")
    .select("in_summary")
    .where("hour", "=", hour)
    .where("license_id", "=", licenseId)
    .where("type", "=", type)
    .execute();
  return {
    ipCount: refused.filter((row) => row.in_summary === 1).length,
    isExact: refused.length < maxDistinctIps,
  };
}
