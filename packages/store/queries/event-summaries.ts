import { mostToldApart } from "@countersign/domain/events/refusal";
import type { Database } from "../store.ts";
import type { EventSummaryRow } from "../tables.ts";

/** What was counted in an hour, and how many addresses of it could be told apart. */
export interface TakenSummary extends EventSummaryRow {
  readonly ipCount: number;
  /** False when there were more addresses than are told apart. */
  readonly isExact: boolean;
}

/**
 * Takes away some of what was counted before this hour: whoever took it tells of it. Returns how many there were, and
 * those among them whose organization still exists.
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
  // Each address that is registered is another one.
  if (type === "license.ip_registered") return { ipCount: count, isExact: true };
  const refused = await db
    .selectFrom("refusals_told")
    .select("in_summary")
    .where("hour", "=", hour)
    .where("license_id", "=", licenseId)
    .where("type", "=", type)
    .execute();
  return {
    ipCount: refused.filter((row) => row.in_summary === 1).length,
    isExact: refused.length < mostToldApart,
  };
}
