import { maxDistinctIps } from "@countersign/domain/events/thresholds";
import type { Database } from "../../store.ts";
import type { EventSummaryRow } from "../../tables/events.ts";

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
