import { dayMs } from "@countersign/domain/dates/lengths";
import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { RecordedExpiryRow } from "../../tables.ts";

export type ExpiryEvent = "license.expiring_soon" | "license.expired";

/**
 * Records these expiries, and returns the licenses of those that were not recorded before. The caller emits their
 * events.
 */
export async function markExpiriesRecorded(
  db: Database,
  endings: readonly RecordedExpiryRow[],
): Promise<Set<string>> {
  if (endings.length === 0) return new Set();
  const rows = await db
    .insertInto("recorded_expiries")
    .values(endings)
    .onConflict((conflict) => conflict.doNothing())
    .returning("license_id")
    .execute();
  return new Set(rows.map((row) => row.license_id));
}

/** The warning periods of these organizations' products in days, without duplicates. */
export async function warningDays(db: Database, organizationIds: readonly string[]): Promise<number[]> {
  if (organizationIds.length === 0) return [];
  const rows = await db
    .selectFrom("products")
    .select("expiring_soon_days")
    .distinct()
    .where("organization_id", "in", organizationIds)
    .where("deleted_at", "is", null)
    .execute();
  return rows.map((row) => row.expiring_soon_days);
}

export interface Due {
  readonly organizationIds: readonly string[];
  readonly type: ExpiryEvent;
  /** Days before the expiry; 0 for the expiry itself. */
  readonly days: number;
  /** Became due after the first and not after the second. */
  readonly afterMs: number;
  readonly untilMs: number;
}

/** Licenses that are due and not recorded yet. Found along `licenses_by_expiry`; only what became due is read. */
export async function dueLicenses(db: Database, due: Due, limit: number): Promise<string[]> {
  const { organizationIds, type, days, afterMs, untilMs } = due;
  if (organizationIds.length === 0) return [];
  const endsAt = sql.ref<number>("l.ends_at");
  let query = db
    .selectFrom("licenses as l")
    .innerJoin("products as p", "p.id", "l.product_id")
    .select("l.id")
    .where("l.organization_id", "in", organizationIds)
    // A license that has expired in the meantime no longer expires soon.
    .where(endsAt, ">", type === "license.expired" ? afterMs : Math.max(afterMs + days * dayMs, untilMs))
    .where(endsAt, "<=", untilMs + days * dayMs)
    .where("l.revoked_at", "is", null)
    .where("p.deleted_at", "is", null)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom("recorded_expiries as t")
            .select("t.license_id")
            .whereRef("t.license_id", "=", "l.id")
            .where("t.type", "=", type)
            .whereRef("t.ends_at", "=", endsAt),
        ),
      ),
    );
  if (type === "license.expiring_soon") query = query.where("p.expiring_soon_days", "=", days);
  const rows = await query.limit(limit).execute();
  return rows.map((row) => row.id);
}

/** Those of the locked rows for which this is still true. */
export async function stillDue(db: Database, due: Due, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { type, days, afterMs, untilMs } = due;
  const rows = await db
    .selectFrom("licenses as l")
    .innerJoin("products as p", "p.id", "l.product_id")
    .select("l.id")
    .where("l.id", "in", ids)
    .where("l.expires_at", ">", type === "license.expired" ? afterMs : untilMs)
    .where("l.expires_at", "<=", untilMs + days * dayMs)
    .where("l.revoked_at", "is", null)
    .where("p.deleted_at", "is", null)
    .execute();
  return rows.map((row) => row.id);
}

/** Licenses whose expiry was set within the warning period of their product. */
export async function unannouncedExpiries(db: Database, limit: number): Promise<string[]> {
  const rows = await db.selectFrom("unannounced_expiries").select("license_id").limit(limit).execute();
  return rows.map((row) => row.license_id);
}

export async function removeUnannouncedExpiries(db: Database, ids: readonly string[]): Promise<void> {
  await db.deleteFrom("unannounced_expiries").where("license_id", "in", ids).execute();
}

/** Those of the locked rows that expire within the warning period of their product. */
export async function expiringSoon(db: Database, ids: readonly string[], nowMs: number): Promise<string[]> {
  const rows = await db
    .selectFrom("licenses as l")
    .innerJoin("products as p", "p.id", "l.product_id")
    .select(["l.id", "l.expires_at", "p.expiring_soon_days"])
    .where("l.id", "in", ids)
    .where("l.expires_at", ">", nowMs)
    .where("l.revoked_at", "is", null)
    .where("p.deleted_at", "is", null)
    .execute();
  return rows.flatMap(({ id, expires_at: endsAtMs, expiring_soon_days: days }) =>
    endsAtMs !== null && endsAtMs <= nowMs + days * dayMs ? [id] : [],
  );
}

export async function organizationIdsAfter(db: Database, afterId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("organizations")
    .select("id")
    .where("id", ">", afterId)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Removes some recorded rejections from before this hour; returns whether there were any. */
export async function pruneRefusals(db: Database, beforeHour: number, atMost: number): Promise<boolean> {
  const some = await db
    .selectFrom("recorded_refusals")
    .select(["hour", "license_id"])
    .where("hour", "<", beforeHour)
    .orderBy("hour")
    .orderBy("license_id")
    .limit(atMost)
    .execute();
  const [first] = some;
  if (first === undefined) return false;
  const ids = some.filter(({ hour }) => hour === first.hour).map((row) => row.license_id);
  await db
    .deleteFrom("recorded_refusals")
    .where("hour", "=", first.hour)
    .where("license_id", "in", [...new Set(ids)])
    .execute();
  return true;
}
