import { sql } from "kysely";
import { allProducts, type RollUps } from "../../rollups/roll-up.ts";
import { mergedLicenseDay } from "../../rollups/tables.ts";
import type { Database } from "../../store.ts";
import type { LicenseDayRow } from "../../tables/journal.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import type { Scope } from "./figures.ts";

/** The most that are looked at, those with the most IP addresses and devices first. */
const maxRead = 5_000;
/** An organization can have millions of rows in a range. */
const rowsAtOnce = 5_000;

interface Selection {
  readonly scope: Scope;
  readonly days: { readonly first: number; readonly last: number };
  /** With more than these, the use of a license on a day is unusual. */
  readonly usual: { readonly ips: number; readonly devices: number };
}

type Position = Pick<LicenseDayRow, "day" | "license_id">;

/**
 * Licenses and days, from the first to the last, on which a license was used from more IP addresses or devices than
 * `usual`, or moved impossibly fast. Those of requests that are not in the roll-ups yet are added.
 */
export async function unusualLicenseDays(
  db: Database,
  selection: Selection,
  tail: RollUps,
  sliceLength = rowsAtOnce,
): Promise<LicenseDayRow[]> {
  const { scope, days, usual } = selection;
  let rows: LicenseDayRow[] = [];
  for (let after: Position | null = null; ; ) {
    const end: Position | undefined = await endOfSlice(db, selection, after, sliceLength);
    rows = maxShared([...rows, ...(await unusualWithin(db, selection, after, end ?? null))]);
    if (end === undefined) break;
    after = end;
    await yieldToEventLoop();
  }
  const byLicenseAndDay = new Map(rows.map((row) => [`${row.license_id} ${row.day}`, row]));
  for (const open of tail.sharing) {
    if (open.day < days.first || open.day > days.last) continue;
    if (scope.productId !== allProducts && open.productId !== scope.productId) continue;
    const key = `${open.licenseId} ${open.day}`;
    const row = mergedLicenseDay(byLicenseAndDay.get(key), open);
    if (row.ip_count > usual.ips || row.device_count > usual.devices || row.speed_kmh !== null)
      byLicenseAndDay.set(key, row);
  }
  return [...byLicenseAndDay.values()];
}

function maxShared(rows: readonly LicenseDayRow[]): LicenseDayRow[] {
  const used = ({ ip_count: ips, device_count: devices }: LicenseDayRow) => ips + devices;
  return rows.toSorted((one, other) => used(other) - used(one)).slice(0, maxRead);
}

async function endOfSlice(db: Database, selection: Selection, after: Position | null, length: number) {
  return slice(db, selection, after, null)
    .select(["day", "license_id"])
    .orderBy("day")
    .orderBy("license_id")
    .offset(length - 1)
    .limit(1)
    .executeTakeFirst();
}

async function unusualWithin(
  db: Database,
  selection: Selection,
  after: Position | null,
  end: Position | null,
): Promise<LicenseDayRow[]> {
  const { scope, usual } = selection;
  let query = slice(db, selection, after, end)
    .selectAll()
    .where((is) =>
      is.or([
        is("ip_count", ">", usual.ips),
        is("device_count", ">", usual.devices),
        is("speed_kmh", "is not", null),
      ]),
    );
  if (scope.productId !== allProducts) query = query.where("product_id", "=", scope.productId);
  return query.execute();
}

/** Along the primary key. */
function slice(db: Database, { scope, days }: Selection, after: Position | null, end: Position | null) {
  const position = sql`(day, license_id)`;
  const { day: lowest, license_id: lowestId } = after ?? { day: days.first, license_id: "" };
  const { day: highest, license_id: highestId } = end ?? { day: days.last + 1, license_id: "" };
  return db
    .selectFrom("license_days")
    .where("organization_id", "=", scope.organizationId)
    .where(sql<boolean>`${position} > (${lowest}, ${lowestId})`)
    .where(sql<boolean>`${position} <= (${highest}, ${highestId})`);
}
