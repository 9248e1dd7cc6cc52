import { type RawBuilder, sql } from "kysely";
import { countColumns, countDifferences } from "../../migrations/license-counts.ts";
import type { Database, Store } from "../../store.ts";
import type { LicenseCountRow } from "../../tables/licenses.ts";

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
    const some = wrong.slice(start, start + countsAtOnce);
    await store.transaction((db) => addToCounts(db, some));
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
