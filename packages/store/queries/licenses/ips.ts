import { networkOf, registration } from "@countersign/domain/ip/registered";
import { type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import type { Database } from "../../store.ts";
import type { Tables } from "../../tables.ts";

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
  const firstIps = db
    .selectFrom("license_ips")
    .select("ip")
    .where("license_id", "=", licenseId)
    .orderBy("ip")
    .limit(Math.min(atMost, ipsAtOnce));
  const { numDeletedRows } = await db
    .deleteFrom("license_ips")
    .where("license_id", "=", licenseId)
    .where("ip", "in", firstIps)
    .executeTakeFirst();
  await db
    .updateTable("licenses")
    .set((row) => ({ ip_count: row("ip_count", "-", Number(numDeletedRows)) }))
    .where("id", "=", licenseId)
    .execute();
  return Number(numDeletedRows);
}

/**
 * A later time than any that a license's record has shown, even within a millisecond: its `updated_at` is the later of
 * the last edit and the last change to its registered IP addresses.
 */
export function nextLicenseChangeTime(nowMs: number): RawBuilder<number> {
  return sql<number>`case
    when updated_at >= ${nowMs} and updated_at >= ips_updated_at then updated_at + 1
    when ips_updated_at >= ${nowMs} then ips_updated_at + 1
    else ${nowMs} end`;
}
