import { networkOf } from "@countersign/domain/ip/registered";
import type { ExpressionBuilder } from "kysely";
import type { Database } from "../../store.ts";
import type { Tables } from "../../tables.ts";
import { nextLicenseChangeTime } from "./updated-at.ts";

/** Registered IP addresses, in text order, with their sightings. Only for `store.reads`. */
export async function licenseIps(
  reads: Database,
  licenseId: string,
  page: { readonly afterIp: string | null; readonly limit: number },
) {
  let query = reads
    .selectFrom("license_ips as i")
    .leftJoin("ip_sightings as s", (join) =>
      join.onRef("s.ip", "=", "i.ip").on("s.tier", "=", "license").on("s.scope_id", "=", licenseId),
    )
    .select(["i.ip", "i.registered_at", "s.first_seen_at", "s.last_seen_at", "s.hits"])
    .where("i.license_id", "=", licenseId);
  if (page.afterIp !== null) query = query.where("i.ip", ">", page.afterIp);
  return query.orderBy("i.ip").limit(page.limit).execute();
}

/** Some of the registered IP addresses, without their sightings, so that transactions can read them too. */
export async function registeredIps(db: Database, licenseId: string, limit: number) {
  return db
    .selectFrom("license_ips")
    .select(["ip", "registered_at"])
    .where("license_id", "=", licenseId)
    .orderBy("ip")
    .limit(limit)
    .execute();
}

/** The registration that covers an IP address: its own, its /64's, or that of an address in this /64. */
export async function licenseIp(db: Database, licenseId: string, ip: string) {
  return db
    .selectFrom("license_ips")
    .select(["ip", "registered_at"])
    .where("license_id", "=", licenseId)
    .where((is) => is.or([is("ip", "in", ownAndNetwork(ip)), is("network", "=", ip)]))
    .executeTakeFirst();
}

export function coveringIp(is: ExpressionBuilder<Tables, "licenses">, licenseId: string, ip: string) {
  return is
    .selectFrom("license_ips")
    .select("license_ips.ip")
    .where("license_ips.license_id", "=", licenseId)
    .where((row) =>
      row.or([row("license_ips.ip", "in", ownAndNetwork(ip)), row("license_ips.network", "=", ip)]),
    );
}

function ownAndNetwork(ip: string): string[] {
  const network = networkOf(ip);
  return network === null ? [ip] : [ip, network];
}

/** Removes an IP address from a license whose row is locked, and frees its slot. Returns whether it existed. */
export async function unregisterIp(
  db: Database,
  licenseId: string,
  ip: string,
  nowMs: number,
): Promise<boolean> {
  const removed = await db
    .deleteFrom("license_ips")
    .where("license_id", "=", licenseId)
    .where("ip", "=", ip)
    .executeTakeFirst();
  if (removed.numDeletedRows === 0n) return false;
  await db
    .updateTable("licenses")
    .set((row) => ({ ip_count: row("ip_count", "-", 1), ips_updated_at: nextLicenseChangeTime(nowMs) }))
    .where("id", "=", licenseId)
    .execute();
  return true;
}

export async function sighting(reads: Database, licenseId: string, ip: string) {
  return reads
    .selectFrom("ip_sightings")
    .select(["first_seen_at", "last_seen_at", "hits"])
    .where("tier", "=", "license")
    .where("scope_id", "=", licenseId)
    .where("ip", "=", ip)
    .executeTakeFirst();
}
