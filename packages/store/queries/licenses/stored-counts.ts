import { dayMs } from "@countersign/domain/dates/lengths";
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { countColumns, countDifferences } from "../../migrations/license-counts.ts";
import type { Database, Store } from "../../store.ts";
import type { LicenseCountRow } from "../../tables/licenses.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import {
  conditionsButExpiry,
  everyLicenseOf,
  expiryOrder,
  type LicenseFilter,
  revocationsOf,
} from "./filter.ts";
import { LicenseScan, type Position } from "./scan.ts";

/**
 * The license counts maintained by triggers, and what can be derived from them: see the migration `license-counts.ts`.
 */

/** So many licenses of one day are counted one by one before the other side of the moment is tried. */
const maxOfADay = 2_000;
/** So many licenses are counted before other requests are served. */
const countedAtOnce = 2_000;

/** Whether the stored counts can answer how many licenses match a filter. */
export function hasStoredCount({ customerId, tag, minIps, words }: LicenseFilter): boolean {
  return customerId === null && tag === null && minIps === null && words === null;
}

/**
 * How many licenses match a filter, from the stored counts. They are per day: licenses that expire on the day of a time
 * in the filter are counted along the index, in the same statement, so that the result is consistent.
 */
export async function storedCount(db: Database, filter: LicenseFilter, nowMs: number): Promise<number> {
  const { afterMs, untilMs } = expiryBounds(filter, nowMs);
  const until = untilMs === null ? summed(filter, sql`1 = 1`) : expiredBy(filter, untilMs);
  const before = afterMs === null ? sql`0` : expiredBy(filter, afterMs);
  const { rows } = await sql<{ count: number }>`select ${until} - ${before} as count`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** The number of licenses in all organizations. */
export async function countEveryLicense(db: Database): Promise<number> {
  const where = sql`fact = 'created' and product_id not in (select id from products where deleted_at is not null)`;
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(licenses), 0) as count from (
      select licenses from license_counts where ${where}
      union all select licenses from license_count_changes where ${where}
    ) as kept`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** How many licenses were created on each of this many days, starting with the first. */
export async function createdByDay(
  db: Database,
  organizationId: string,
  firstDay: number,
  days: number,
): Promise<number[]> {
  const filter = everyLicenseOf(organizationId);
  const { rows } = await sql<{ day: number; licenses: number }>`
    select day, sum(licenses) as licenses
    from ${kept(filter, "created", sql`day >= ${firstDay} and day < ${firstDay + days}`)}
    group by day`.execute(db);
  const byDay = new Map(rows.map(({ day, licenses }) => [Number(day), Number(licenses)]));
  return Array.from({ length: days }, (_, at) => byDay.get(firstDay + at) ?? 0);
}

/** How many licenses, without revoked ones, expire in each of this many weeks of UTC days, the first starting now. */
export async function expiringByWeek(
  db: Database,
  organizationId: string,
  nowMs: number,
  weeks: number,
): Promise<number[]> {
  const today = Math.floor(nowMs / dayMs);
  const filter: LicenseFilter = { ...everyLicenseOf(organizationId), status: "active" };
  const { rows } = await sql<{ week: number; licenses: number }>`
    select (day - cast(${today} as bigint)) / 7 as week, sum(licenses) as licenses from (
      select day, licenses
      from ${kept(filter, "expires", sql`day >= ${today} and day < ${today + weeks * 7}`)}
      union all select cast(${today} as bigint), -${expiredThatDay(filter, nowMs)}
    ) as days
    group by 1`.execute(db);
  const byWeek = new Map(rows.map(({ week, licenses }) => [Number(week), Number(licenses)]));
  return Array.from({ length: weeks }, (_, week) => byWeek.get(week) ?? 0);
}

/** Licenses of an organization, or of one of its products. */
export interface LicensesOf {
  readonly organizationId: string;
  readonly productId: string | null;
}

/** From the first millisecond to the last, which is not part of it. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How many licenses, without revoked ones, expire or expired in a range. */
export async function expiringBetween(
  db: Database,
  scope: LicensesOf,
  { fromMs, toMs }: TimeRange,
): Promise<number> {
  if (fromMs >= toMs) return 0;
  const filter: LicenseFilter = {
    ...everyLicenseOf(scope.organizationId),
    productId: scope.productId,
    status: "active",
  };
  const { rows } = await sql<{ count: number }>`
    select ${expiredBy(filter, toMs - 1)} - ${expiredBy(filter, fromMs - 1)} as count`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** How many licenses were created in a range: whole days from the stored counts, the rest along the index. */
export async function createdBetween(
  db: Database,
  scope: LicensesOf,
  { fromMs, toMs }: TimeRange,
): Promise<number> {
  const firstDay = Math.ceil(fromMs / dayMs);
  const endDay = Math.floor(toMs / dayMs);
  if (firstDay >= endDay) return countCreated(db, scope, { fromMs, toMs });
  const filter: LicenseFilter = { ...everyLicenseOf(scope.organizationId), productId: scope.productId };
  const { rows } = await sql<{ licenses: number }>`
    select cast(coalesce(sum(licenses), 0) as bigint) as licenses
    from ${kept(filter, "created", sql`day >= ${firstDay} and day < ${endDay}`)}`.execute(db);
  const before = await countCreated(db, scope, { fromMs, toMs: firstDay * dayMs });
  const after = await countCreated(db, scope, { fromMs: endDay * dayMs, toMs });
  return Number(rows[0]?.licenses ?? 0) + before + after;
}

/** How many licenses that are revoked now were revoked in a range, along an index, in slices. */
export async function revokedBetween(
  db: Database,
  scope: LicensesOf,
  { fromMs, toMs }: TimeRange,
): Promise<number> {
  let licenses = db
    .selectFrom("licenses")
    .where("organization_id", "=", scope.organizationId)
    .where("product_id", "not in", deletedProducts(db, scope));
  if (scope.productId !== null) licenses = licenses.where("product_id", "=", scope.productId);
  let count = 0;
  for (let sliceMs = fromMs; sliceMs < toMs; await yieldToEventLoop()) {
    const rest = licenses.where("revoked_at", ">=", sliceMs).where("revoked_at", "<", toMs);
    const end = await rest
      .select("revoked_at")
      .orderBy("revoked_at")
      .offset(countedAtOnce)
      .limit(1)
      .executeTakeFirst();
    // The index has no ID: those of one millisecond are counted together, without reading the licenses themselves.
    const endMs = end?.revoked_at == null ? toMs : Math.max(end.revoked_at, sliceMs + 1);
    const slice = rest.where("revoked_at", "<", endMs).select((is) => is.fn.countAll<number>().as("count"));
    count += Number((await slice.executeTakeFirst())?.count ?? 0);
    sliceMs = endMs;
  }
  return count;
}

/** Along an index, in slices: an import can have created nearly all licenses in one millisecond. */
async function countCreated(db: Database, scope: LicensesOf, { fromMs, toMs }: TimeRange): Promise<number> {
  if (fromMs >= toMs) return 0;
  const filter = { ...everyLicenseOf(scope.organizationId), productId: scope.productId };
  const scan = new LicenseScan(db, filter, { by: "created_at", descending: false }, fromMs);
  const last: Position = { at: toMs, id: "" };
  let count = 0;
  for (let from: Position = { at: fromMs, id: "" }; ; await yieldToEventLoop()) {
    const end = await scan.end(from, countedAtOnce);
    const to = end === null || end.at >= toMs ? last : end;
    count += await scan.count(from, to);
    if (to === last) return count;
    from = to;
  }
}

function deletedProducts(db: Database, { organizationId }: LicensesOf) {
  return db
    .selectFrom("products")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is not", null);
}

/** The range in which matching licenses expire; null if unbounded. */
function expiryBounds({ status, expiresByMs }: LicenseFilter, nowMs: number) {
  // Nothing can be both expired and about to expire.
  if (status === "expired") return { afterMs: expiresByMs === null ? null : nowMs, untilMs: nowMs };
  if (expiresByMs !== null) return { afterMs: nowMs, untilMs: Math.max(nowMs, expiresByMs) };
  return { afterMs: status === "active" ? nowMs : null, untilMs: null };
}

/** How many have expired by a time: those of the days before, and some of its own day. */
function expiredBy(filter: LicenseFilter, atMs: number): RawBuilder<number> {
  return sql`(${summed(filter, sql`day < ${Math.floor(atMs / dayMs)}`)} + ${expiredThatDay(filter, atMs)})`;
}

/**
 * How many expire on the day of a time and before it. Often all licenses of a day expire at the same time, so that only
 * one side is large: those after it are counted if they are few, otherwise those before it.
 */
function expiredThatDay(filter: LicenseFilter, atMs: number): RawBuilder<number> {
  const day = Math.floor(atMs / dayMs);
  const during = (range: RawBuilder<unknown>) =>
    sql.join(
      [sql<SqlBool>`organization_id = ${filter.organizationId}`, range, ...conditionsButExpiry(filter)],
      sql` and `,
    );
  const after = during(sql`${expiryOrder} > ${atMs} and ${expiryOrder} < ${(day + 1) * dayMs}`);
  const before = during(sql`${expiryOrder} >= ${day * dayMs} and ${expiryOrder} <= ${atMs}`);
  return sql`(
    with later as (
      select count(*) as licenses
      from (select 1 from licenses where ${after} order by ${expiryOrder} limit ${maxOfADay + 1}) as found
    )
    select case when (select licenses from later) <= ${maxOfADay}
      then ${summed(filter, sql`day = ${day}`)} - (select licenses from later)
      else (select count(*) from licenses where ${before}) end
  )`;
}

function summed(filter: LicenseFilter, days: RawBuilder<unknown>): RawBuilder<number> {
  return sql`(select cast(coalesce(sum(licenses), 0) as bigint) from ${kept(filter, "expires", days)})`;
}

/** The counts that match a filter, without its conditions on the expiry. */
function kept(
  filter: LicenseFilter,
  fact: "expires" | "created",
  days: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const where = sql.join(
    [
      sql`organization_id = ${filter.organizationId}`,
      sql`fact = ${fact}`,
      ...(filter.productId === null ? [] : [sql`product_id = ${filter.productId}`]),
      sql`product_id not in (
        select id from products where organization_id = ${filter.organizationId} and deleted_at is not null)`,
      days,
      ...revocationsOf(filter).flatMap((isRevoked) => flag("is_revoked", isRevoked)),
      ...flag("is_used", filter.neverUsed === null ? null : !filter.neverUsed),
      ...flag("has_notes", filter.hasNotes),
    ],
    sql` and `,
  );
  return sql`(
    select day, licenses from license_counts where ${where}
    union all select day, licenses from license_count_changes where ${where}
  ) as kept`;
}

function flag(column: "is_revoked" | "is_used" | "has_notes", wanted: boolean | null) {
  return wanted === null ? [] : [sql`${sql.ref(column)} = ${wanted ? 1 : 0}`];
}

const countsAtOnce = 500;

/** Where the stored counts differ from the actual licenses: how many each lacks. Reads every license. */
export async function wrongCounts(db: Database): Promise<LicenseCountRow[]> {
  const differences: RawBuilder<LicenseCountRow> = sql.raw(countDifferences);
  const { rows } = await differences.execute(db);
  return rows.map((row) => ({ ...row, day: Number(row.day), licenses: Number(row.licenses) }));
}

/**
 * Corrects the stored counts, and returns how many were wrong. The difference is added to them, so that servers can
 * keep writing: concurrent changes are counted on both sides.
 */
export async function recountLicenses(store: Store): Promise<number> {
  const wrong = await wrongCounts(store.withOwnConnections("jobs").reads);
  for (let start = 0; start < wrong.length; start += countsAtOnce) {
    const batch = wrong.slice(start, start + countsAtOnce);
    await store.transaction((db) => addToCounts(db, batch));
  }
  return wrong.length;
}

async function addToCounts(db: Database, counts: readonly LicenseCountRow[]): Promise<void> {
  const columns = countColumns.split(", ") as (keyof LicenseCountRow)[];
  await db
    .insertInto("license_counts")
    .values(counts)
    .onConflict((conflict) =>
      conflict
        .columns(columns)
        .doUpdateSet({ licenses: sql`license_counts.licenses + excluded.licenses` as RawBuilder<number> }),
    )
    .execute();
  await db.deleteFrom("license_counts").where("licenses", "=", 0).execute();
}
