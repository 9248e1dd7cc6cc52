import { mergedLicenseDay } from "../../rollups/merge.ts";
import { allProducts, type RollUps } from "../../rollups/roll-up.ts";
import type { Database } from "../../store.ts";
import type { LicenseDayRow } from "../../tables.ts";
import type { Scope } from "./figures.ts";

/** The most that are looked at, those with the most IP addresses and devices first. */
const mostRead = 5_000;

/**
 * Licenses and days, from the first to the last, on which a license was used from more IP addresses or devices than
 * `usual`, or moved impossibly fast. Those of requests that are not in the roll-ups yet are added.
 */
export async function unusualLicenseDays(
  db: Database,
  scope: Scope,
  days: { readonly first: number; readonly last: number },
  usual: { readonly ips: number; readonly devices: number },
  tail: RollUps,
): Promise<LicenseDayRow[]> {
  let query = db
    .selectFrom("license_days")
    .selectAll()
    .where("organization_id", "=", scope.organizationId)
    .where("day", ">=", days.first)
    .where("day", "<=", days.last)
    .where((is) =>
      is.or([
        is("ip_count", ">", usual.ips),
        is("device_count", ">", usual.devices),
        is("speed_kmh", "is not", null),
      ]),
    );
  if (scope.productId !== allProducts) query = query.where("product_id", "=", scope.productId);
  const rows = await query
    .orderBy((is) => is("ip_count", "+", is.ref("device_count")), "desc")
    .orderBy("license_id")
    .orderBy("day")
    .limit(mostRead)
    .execute();
  const found = new Map(rows.map((row) => [`${row.license_id} ${row.day}`, row]));
  for (const open of tail.sharing) {
    if (open.day < days.first || open.day > days.last) continue;
    if (scope.productId !== allProducts && open.productId !== scope.productId) continue;
    const key = `${open.licenseId} ${open.day}`;
    const row = mergedLicenseDay(found.get(key), open);
    if (row.ip_count > usual.ips || row.device_count > usual.devices || row.speed_kmh !== null)
      found.set(key, row);
  }
  return [...found.values()];
}
