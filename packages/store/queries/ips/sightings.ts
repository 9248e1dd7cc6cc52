import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { IpSightingRow } from "../../tables/journal.ts";
import type { LicenseRow } from "../../tables/licenses.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import { endOfPrefix, unindexed } from "../conditions.ts";

/** IP sightings. On SQLite they are in a separate file, so all of this runs outside transactions. */

/** Whose licenses were used: those of one organization, or of all. */
export type SightingScope =
  | { readonly tier: "organization"; readonly organizationId: string }
  | { readonly tier: "platform" };

export async function sightingsOf(reads: Database, scope: SightingScope, ips: readonly string[]) {
  return reads
    .selectFrom("ip_sightings")
    .selectAll()
    .where("tier", "=", scope.tier)
    .where("scope_id", "=", scopeId(scope))
    .where("ip", "in", ips)
    .orderBy("ip")
    .execute();
}

/** The IP addresses that used the most licenses of an organization, or of all, come first. */
export async function busiestIps(
  reads: Database,
  scope: SightingScope,
  page: {
    readonly before: { readonly licenseCount: number; readonly ip: string } | null;
    readonly limit: number;
    readonly minLicenses: number;
  },
) {
  let query = reads
    .selectFrom("ip_sightings")
    .selectAll()
    // With exactly this condition, because it selects the partial index: each tier has one.
    .where(scope.tier === "platform" ? sql<boolean>`tier = 'platform'` : sql<boolean>`tier = 'organization'`)
    .where("license_count", ">=", page.minLicenses);
  if (scope.tier === "organization") query = query.where("scope_id", "=", scope.organizationId);
  if (page.before !== null) {
    const { licenseCount, ip } = page.before;
    query = query
      .where("license_count", "<=", licenseCount)
      .where((is) => is.or([is("license_count", "<", licenseCount), is("ip", "<", ip)]));
  }
  return query.orderBy("license_count", "desc").orderBy("ip", "desc").limit(page.limit).execute();
}

/** In text order, those with a prefix. */
export async function ipsStartingWith(
  reads: Database,
  scope: SightingScope,
  text: string,
  afterIp: string | null,
  limit: number,
) {
  return reads
    .selectFrom("ip_sightings")
    .selectAll()
    .where("tier", "=", scope.tier)
    .where("scope_id", "=", scopeId(scope))
    .where("ip", afterIp === null ? ">=" : ">", afterIp ?? text)
    .where("ip", "<", endOfPrefix(text))
    .orderBy("ip")
    .limit(limit)
    .execute();
}

/**
 * The organizations whose licenses an IP address used, in the order of their IDs. Where to continue is one position in the
 * index of IP addresses: with a condition on each column, SQLite takes the primary key, and reads the IP addresses of
 * all organizations.
 */
export async function organizationsSeeing(
  reads: Database,
  ip: string,
  afterId: string,
  limit: number,
): Promise<IpSightingRow[]> {
  return reads
    .selectFrom("ip_sightings")
    .selectAll()
    .where("ip", "=", ip)
    .where(sql<boolean>`(tier, scope_id) > ('organization', ${afterId})`)
    .where(unindexed("tier"), "=", "organization")
    .orderBy("tier")
    .orderBy("scope_id")
    .limit(limit)
    .execute();
}

/** Which organizations' licenses some IP addresses used, at most so many pairs. */
export async function organizationsAt(
  reads: Database,
  ips: readonly string[],
  limit: number,
): Promise<{ readonly organizationId: string; readonly ip: string }[]> {
  if (ips.length === 0) return [];
  return reads
    .selectFrom("ip_sightings")
    .select(["scope_id as organizationId", "ip"])
    .where("ip", "in", ips)
    .where("tier", "=", "organization")
    .limit(limit)
    .execute();
}

/** By ID. Deleted organizations have none. */
export async function organizationNames(
  reads: Database,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await reads
    .selectFrom("organizations")
    .select(["id", "name"])
    .where("id", "in", ids)
    .where("deleted_at", "is", null)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function scopeId(scope: SightingScope): string {
  return scope.tier === "platform" ? "" : scope.organizationId;
}

/**
 * The licenses of an organization that an IP address is registered at or was seen with. Licenses of others can lie in
 * between: this proceeds in steps, each of which is cheap however many there are.
 */
export async function licensesOfIps(
  reads: Database,
  organizationId: string,
  ips: readonly string[],
  page: { readonly afterId: string; readonly limit: number },
): Promise<LicenseRow[]> {
  const licenses: LicenseRow[] = [];
  for (let after = page.afterId; ; ) {
    const ids = await licenseIdsAt(reads, ips, after);
    const last = ids.at(-1);
    if (last === undefined) return licenses;
    licenses.push(...(await ownLicenses(reads, organizationId, ids)));
    if (licenses.length >= page.limit || ids.length < idsAtOnce) return licenses.slice(0, page.limit);
    after = last;
    await yieldToEventLoop();
  }
}

const idsAtOnce = 500;

/** The next IDs in order, of any organization. */
async function licenseIdsAt(reads: Database, ips: readonly string[], afterId: string): Promise<string[]> {
  const ids = new Set<string>();
  for (const ip of ips) {
    const registered = await reads
      .selectFrom("license_ips")
      .select("license_id as id")
      .where("ip", "=", ip)
      .where("license_id", ">", afterId)
      .orderBy("license_id")
      .limit(idsAtOnce)
      .execute();
    const seen = await reads
      .selectFrom("ip_sightings")
      .select("scope_id as id")
      .where("ip", "=", ip)
      .where("tier", "=", "license")
      .where("scope_id", ">", afterId)
      .orderBy("scope_id")
      .limit(idsAtOnce)
      .execute();
    for (const { id } of [...registered, ...seen]) ids.add(id);
  }
  return [...ids].sort().slice(0, idsAtOnce);
}

async function ownLicenses(reads: Database, organizationId: string, ids: readonly string[]) {
  return reads
    .selectFrom("licenses")
    .innerJoin("products", "products.id", "licenses.product_id")
    .selectAll("licenses")
    .where("licenses.id", "in", ids)
    .where(unindexed("licenses.organization_id"), "=", organizationId)
    .where("products.deleted_at", "is", null)
    .orderBy("licenses.id")
    .execute();
}

export async function registrationsAt(
  reads: Database,
  licenseIds: readonly string[],
  ips: readonly string[],
): Promise<Map<string, number>> {
  if (licenseIds.length === 0) return new Map();
  const rows = await reads
    .selectFrom("license_ips")
    .select(["license_id", "registered_at"])
    .where("license_id", "in", licenseIds)
    .where("ip", "in", ips)
    .orderBy("registered_at", "desc")
    .execute();
  return new Map(rows.map((row) => [row.license_id, row.registered_at]));
}

/** By license. An IPv6 address may have been counted in two ways, which are added up. */
export async function licenseSightings(
  reads: Database,
  licenseIds: readonly string[],
  ips: readonly string[],
) {
  if (licenseIds.length === 0) return new Map();
  const rows = await reads
    .selectFrom("ip_sightings")
    .select((is) => [
      "scope_id",
      is.fn.min("first_seen_at").as("first_seen_at"),
      is.fn.max("last_seen_at").as("last_seen_at"),
      is.fn.sum<number>("hits").as("hits"),
    ])
    .where("tier", "=", "license")
    .where("scope_id", "in", licenseIds)
    .where("ip", "in", ips)
    .groupBy("scope_id")
    .execute();
  return new Map(rows.map((row) => [row.scope_id, { ...row, hits: Number(row.hits) }]));
}
