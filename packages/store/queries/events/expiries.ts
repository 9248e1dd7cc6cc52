import { dayMs } from "@countersign/domain/dates/lengths";
import { expiringUntilMs } from "@countersign/domain/licenses/expiring";
import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { RecordedExpiryRow } from "../../tables/events.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";

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

/** How many licenses are read before other requests are served: a seller's licenses often expire all at once. */
const licensesAtOnce = 500;

/** Licenses that are due and not recorded yet, in slices along `licenses_by_expiry`. */
export async function* dueLicenses(
  db: Database,
  due: Due,
  sliceLength = licensesAtOnce,
): AsyncGenerator<string[], void> {
  // A license that has expired in the meantime no longer expires soon.
  const { type, days, untilMs } = due;
  const afterMs = type === "license.expired" ? due.afterMs : Math.max(due.afterMs + days * dayMs, untilMs);
  const range = { afterMs, untilMs: expiringUntilMs(untilMs, days) };
  for (const organizationId of await organizationsWithExpiries(db, due.organizationIds, range)) {
    for (let after: ExpiryPosition | undefined = { endsAtMs: afterMs + 1, id: "" }; after !== undefined; ) {
      const slice = { organizationId, type, untilMs: range.untilMs, limit: sliceLength };
      const rows: ExpiringRow[] = await expiringAfter(db, slice, after);
      const ids = rows.filter((row) => isDue(row, due)).map(({ id }) => id);
      if (ids.length > 0) yield ids;
      const last = rows.length < sliceLength ? undefined : rows.at(-1);
      after = last && { endsAtMs: last.ends_at, id: last.id };
      await yieldToEventLoop();
    }
  }
}

interface ExpiryPosition {
  readonly endsAtMs: number;
  readonly id: string;
}

/** After the first time and not after the second. */
interface ExpiryRange {
  readonly afterMs: number;
  readonly untilMs: number;
}

/** Those of which any license expires in a range. */
async function organizationsWithExpiries(
  db: Database,
  organizationIds: readonly string[],
  { afterMs, untilMs }: ExpiryRange,
): Promise<string[]> {
  if (organizationIds.length === 0) return [];
  const rows = await db
    .selectFrom("organizations as o")
    .select("o.id")
    .where("o.id", "in", organizationIds)
    .where((is) =>
      is.exists(
        is
          .selectFrom("licenses as l")
          .select("l.id")
          .whereRef("l.organization_id", "=", "o.id")
          .where(endsAt, ">", afterMs)
          .where(endsAt, "<=", untilMs),
      ),
    )
    .execute();
  return rows.map((row) => row.id);
}

const endsAt = sql.ref<number>("l.ends_at");

interface ExpirySlice {
  readonly organizationId: string;
  readonly type: ExpiryEvent;
  readonly untilMs: number;
  readonly limit: number;
}

/** The next ones in the order of their expiry, with what decides whether they are due. */
function expiringAfter(
  db: Database,
  { organizationId, type, untilMs, limit }: ExpirySlice,
  after: ExpiryPosition,
) {
  return db
    .selectFrom("licenses as l")
    .innerJoin("products as p", "p.id", "l.product_id")
    .leftJoin("recorded_expiries as t", (join) =>
      join.onRef("t.license_id", "=", "l.id").on("t.type", "=", type).onRef("t.ends_at", "=", endsAt),
    )
    .select(["l.id", "l.revoked_at", "p.deleted_at", "p.expiring_soon_days", "t.license_id as recorded"])
    .select(endsAt.as("ends_at"))
    .where("l.organization_id", "=", organizationId)
    .where(sql<boolean>`(${endsAt}, l.id) > (${after.endsAtMs}, ${after.id})`)
    .where(endsAt, "<=", untilMs)
    .orderBy(endsAt)
    .orderBy("l.id")
    .limit(limit)
    .execute();
}

type ExpiringRow = Awaited<ReturnType<typeof expiringAfter>>[number];

function isDue(row: ExpiringRow, { type, days }: Due): boolean {
  if (row.recorded !== null || row.revoked_at !== null || row.deleted_at !== null) return false;
  return type === "license.expired" || row.expiring_soon_days === days;
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
    .where("l.expires_at", "<=", expiringUntilMs(untilMs, days))
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
    endsAtMs !== null && endsAtMs <= expiringUntilMs(nowMs, days) ? [id] : [],
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
  const outdated = await db
    .selectFrom("recorded_refusals")
    .select(["hour", "license_id"])
    .where("hour", "<", beforeHour)
    .orderBy("hour")
    .orderBy("license_id")
    .limit(atMost)
    .execute();
  const [first] = outdated;
  if (first === undefined) return false;
  const ids = outdated.filter(({ hour }) => hour === first.hour).map((row) => row.license_id);
  await db
    .deleteFrom("recorded_refusals")
    .where("hour", "=", first.hour)
    .where("license_id", "in", [...new Set(ids)])
    .execute();
  return true;
}
