import type { Database } from "../../store.ts";

/** How many registered IP addresses are removed in one transaction, across all licenses. */
export const ipsAtOnce = 2_000;

/** The license to remove IP addresses from first; null if the rest fits into one transaction. */
export async function licenseToDrain(
  db: Database,
  licenseIds: readonly string[],
): Promise<{ id: string; tooMany: number } | null> {
  if (licenseIds.length === 0) return null;
  const rows = await db
    .selectFrom("licenses")
    .select(["id", "ip_count"])
    .where("id", "in", licenseIds)
    .where("ip_count", ">", 0)
    .orderBy("ip_count", "desc")
    .execute();
  const [first] = rows;
  const all = rows.reduce((sum, row) => sum + row.ip_count, 0);
  return first === undefined || all <= ipsAtOnce ? null : { id: first.id, tooMany: all - ipsAtOnce };
}

/** Removes some registered IP addresses of a license, in text order, and returns how many. */
export async function drainIps(db: Database, licenseId: string, atMost: number): Promise<number> {
  const some = db
    .selectFrom("license_ips")
    .select("ip")
    .where("license_id", "=", licenseId)
    .orderBy("ip")
    .limit(Math.min(atMost, ipsAtOnce));
  const { numDeletedRows } = await db
    .deleteFrom("license_ips")
    .where("license_id", "=", licenseId)
    .where("ip", "in", some)
    .executeTakeFirst();
  await db
    .updateTable("licenses")
    .set((row) => ({ ip_count: row("ip_count", "-", Number(numDeletedRows)) }))
    .where("id", "=", licenseId)
    .execute();
  return Number(numDeletedRows);
}
