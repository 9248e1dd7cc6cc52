import { quotaDay } from "@countersign/domain/quota/day";
import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { LicenseRefusalRow } from "../../tables/journal.ts";

/** A license, and since when its refusals may be shown: for a customer, not before the license was theirs. */
export interface RefusalsSince {
  readonly licenseId: string;
  readonly sinceMs: number;
}

/** The refused validations of a license with one status. */
export type LicenseRefusals = Omit<LicenseRefusalRow, "day" | "organization_id">;

export const maxLicensesAtOnce = 100;

/**
 * How often validations of these licenses were refused, by license, the latest status first. On SQLite the counts are in
 * a separate file, so this runs outside transactions.
 *
 * Refusals are counted by UTC day. A day's count of one status cannot be divided: if it includes a refusal before
 * `sinceMs`, all of it is left out, also what was refused later on that day. Later days are complete.
 */
export async function licenseRefusals(
  reads: Database,
  licenses: readonly RefusalsSince[],
): Promise<LicenseRefusals[]> {
  if (licenses.length > maxLicensesAtOnce) throw new RangeError("Too many licenses at once.");
  // A license that is listed twice would be counted twice.
  const starts = new Map(licenses.map(({ licenseId, sinceMs }) => [licenseId, sinceMs]));
  if (starts.size === 0) return [];
  const wanted = [...starts].map(
    ([id, ms]) => sql`(cast(${id} as text), cast(${quotaDay(ms)} as bigint), cast(${ms} as bigint))`,
  );
  // A list of values is joined, because PostgreSQL compares every row with each of many alternatives.
  const { rows } = await sql<LicenseRefusals>`
    select total.license_id, total.status, total.count, total.first_at, last.last_at, last.last_ip, last.last_version
    from (
      select r.license_id, r.status, cast(sum(r.count) as bigint) as count, min(r.first_at) as first_at,
        max(r.day) as last_day
      from (values ${sql.join(wanted)}) as asked
      join license_refusals as r
        on r.license_id = asked.column1 and r.day >= asked.column2 and r.first_at >= asked.column3
      group by r.license_id, r.status
    ) as total
    join license_refusals as last
      on last.license_id = total.license_id and last.day = total.last_day and last.status = total.status
    order by total.license_id, last.last_at desc, total.status`.execute(reads);
  return rows;
}
