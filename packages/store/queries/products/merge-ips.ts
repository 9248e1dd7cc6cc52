import { registration } from "@countersign/domain/ip/registered";
import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { LicenseIpRow } from "../../tables/licenses.ts";
import { nextLicenseChangeTime } from "../licenses/ips.ts";

/** Products whose single IPv6 addresses have to be merged into their /64. */
export async function productsMergingIps(db: Database, limit: number) {
  return db
    .selectFrom("products")
    .select(["id", "merge_ips_after"])
    .where("merge_ips_after", "is not", null)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/**
 * The next licenses after this one that have single IPv6 addresses, of any product, along `license_ips_by_network`;
 * each with whether it belongs to this product.
 */
export async function licensesWithSingleIps(
  db: Database,
  productId: string,
  afterId: string,
  limit: number,
): Promise<{ id: string; isOfProduct: boolean }[]> {
  const rows = await db
    .selectFrom("license_ips as i")
    .innerJoin("licenses as l", "l.id", "i.license_id")
    .select(["i.license_id as id", "l.product_id"])
    .distinct()
    .where("i.network", "is not", null)
    .where("i.license_id", ">", afterId)
    .orderBy("i.license_id")
    .limit(limit)
    .execute();
  return rows.map(({ id, product_id }) => ({ id, isOfProduct: product_id === productId }));
}

/**
 * Merges the single addresses of each /64 into one registration, for a license whose row is locked. At most this many
 * rows at a time: a partially merged /64 keeps covering the rest. Returns whether there may be more.
 */
export async function mergeIps(
  db: Database,
  licenseId: string,
  atMost: number,
  nowMs: number,
): Promise<boolean> {
  const singles = await db
    .selectFrom("license_ips")
    .selectAll()
    .where("license_id", "=", licenseId)
    .where("network", "is not", null)
    .orderBy("network")
    .limit(atMost)
    .execute();
  if (singles.length === 0) return false;
  await removeIps(db, licenseId, singles);
  const byNetwork = Map.groupBy(singles, (row) => row.network ?? "");
  const networks = [...byNetwork].map(([network, rows]) =>
    registration(licenseId, network, Math.min(...rows.map((row) => row.registered_at))),
  );
  const added = await addNetworks(db, networks);
  await db
    .updateTable("licenses")
    .set((row) => ({
      ip_count: row("ip_count", "-", singles.length - added),
      ips_updated_at: nextLicenseChangeTime(nowMs),
    }))
    .where("id", "=", licenseId)
    .execute();
  return singles.length === atMost;
}

async function removeIps(db: Database, licenseId: string, rows: readonly LicenseIpRow[]): Promise<void> {
  await db
    .deleteFrom("license_ips")
    .where("license_id", "=", licenseId)
    .where(
      "ip",
      "in",
      rows.map((row) => row.ip),
    )
    .execute();
}

/** Returns how many did not exist yet. An existing one becomes as old as the oldest address it now represents. */
async function addNetworks(db: Database, rows: readonly LicenseIpRow[]): Promise<number> {
  let added = 0;
  for (const row of rows) {
    const { numUpdatedRows } = await db
      .updateTable("license_ips")
      .set({
        registered_at: sql<number>`case when registered_at < ${row.registered_at}
          then registered_at else ${row.registered_at} end`,
      })
      .where("license_id", "=", row.license_id)
      .where("ip", "=", row.ip)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) continue;
    await db.insertInto("license_ips").values(row).execute();
    added += 1;
  }
  return added;
}
