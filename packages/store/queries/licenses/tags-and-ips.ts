import { registration } from "@countersign/domain/ip/registered";
import type { Database } from "../../store.ts";

export interface RegisteredIp {
  readonly ip: string;
  readonly registeredAt: number;
}

/** The registered IP addresses of some licenses, by license, in the order of registration. */
export async function ipsOf(
  db: Database,
  licenseIds: readonly string[],
): Promise<Map<string, RegisteredIp[]>> {
  if (licenseIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("license_ips")
    .selectAll()
    .where("license_id", "in", licenseIds)
    .orderBy("license_id")
    .orderBy("registered_at")
    .orderBy("ip")
    .execute();
  const ips = new Map<string, RegisteredIp[]>();
  for (const row of rows) {
    const known = ips.get(row.license_id);
    const registered = { ip: row.ip, registeredAt: row.registered_at };
    if (known === undefined) ips.set(row.license_id, [registered]);
    else known.push(registered);
  }
  return ips;
}

export async function replaceTags(
  db: Database,
  organizationId: string,
  licenseId: string,
  tags: readonly string[],
): Promise<void> {
  await db.deleteFrom("license_tags").where("license_id", "=", licenseId).execute();
  if (tags.length === 0) return;
  const rows = tags.map((tag) => ({ organization_id: organizationId, tag, license_id: licenseId }));
  await db.insertInto("license_tags").values(rows).execute();
}

export async function replaceIps(
  db: Database,
  licenseId: string,
  ips: readonly RegisteredIp[],
): Promise<void> {
  await db.deleteFrom("license_ips").where("license_id", "=", licenseId).execute();
  for (let start = 0; start < ips.length; start += 500) {
    const rows = ips
      .slice(start, start + 500)
      .map(({ ip, registeredAt }) => registration(licenseId, ip, registeredAt));
    await db.insertInto("license_ips").values(rows).execute();
  }
}
