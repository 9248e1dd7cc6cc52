import { organizationsSeeing } from "@countersign/store/queries/ips/sightings";
import type { Database } from "@countersign/store/store";
import type { IpSightingRow } from "@countersign/store/tables/journal";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";

const listed = 100;
const rowsAtOnce = 500;
/** An IP address that so many organizations see is that of a proxy or a large network. */
const mostRead = 20_000;

interface OrganizationSighting {
  readonly organizationId: string;
  firstSeenMs: number;
  lastSeenMs: number;
  hits: number;
  licenseCount: number;
}

/**
 * The organizations of which an IP address used the most licenses. An IPv6 address may have been counted in two ways:
 * the same licenses may be in both counts, so the larger one is shown.
 */
export async function busiestOrganizations(
  db: Database,
  ips: readonly string[],
): Promise<OrganizationSighting[]> {
  const found = new Map<string, OrganizationSighting>();
  for (const ip of ips) {
    let after = "";
    for (let read = 0; read < mostRead; read += rowsAtOnce) {
      const rows = await organizationsSeeing(db, ip, after, rowsAtOnce);
      for (const row of rows) add(found, row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsAtOnce) break;
      after = last.scope_id;
      await yieldToEventLoop();
    }
  }
  return [...found.values()]
    .sort((a, b) => b.licenseCount - a.licenseCount || (a.organizationId < b.organizationId ? -1 : 1))
    .slice(0, listed);
}

function add(found: Map<string, OrganizationSighting>, row: IpSightingRow): void {
  const { scope_id: organizationId, first_seen_at, last_seen_at, hits, license_count } = row;
  const known = found.get(organizationId);
  if (known === undefined) {
    found.set(organizationId, {
      organizationId,
      firstSeenMs: first_seen_at,
      lastSeenMs: last_seen_at,
      hits,
      licenseCount: license_count,
    });
    return;
  }
  known.firstSeenMs = Math.min(known.firstSeenMs, first_seen_at);
  known.lastSeenMs = Math.max(known.lastSeenMs, last_seen_at);
  known.hits += hits;
  known.licenseCount = Math.max(known.licenseCount, license_count);
}
