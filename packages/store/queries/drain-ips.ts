import type { Database } from "../store.ts";

/** So many registered addresses are removed in one transaction, of however many licenses. */
export const ipsAtOnce = 2_000;

/** Of these licenses, the one to take addresses from first; null when the rest can go in one transaction. */
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

/** Removes some registered addresses of a license, the first by their text, and returns how many. */
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
