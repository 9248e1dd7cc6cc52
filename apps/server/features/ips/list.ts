import { parseCidr, parseQueriedIp, type QueriedIp } from "@countersign/domain/ip/cidr";
import { busiestIps, type SightingScope } from "@countersign/store/queries/ips/sightings";
import type { Database } from "@countersign/store/store";
import type { IpSightingRow } from "@countersign/store/tables/journal";
import { decodeCursor, iso, pageOf } from "../../api/page.ts";
import { invalid } from "../../http/problem.ts";
import { ipsWithin } from "./within.ts";

/** What the lists of an organization and of the platform share. */

interface IpQuery {
  readonly sort?: "license_count" | "ip" | undefined;
  readonly cidr?: string | undefined;
  readonly min_licenses: number;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A page of IP addresses, by the number of licenses or in text order. */
export async function ipPage(
  db: Database,
  scope: SightingScope,
  query: IpQuery,
): Promise<{ rows: IpSightingRow[]; next_cursor: string | null }> {
  if (query.cidr !== undefined && query.sort === "license_count")
    throw invalid("sort", "unsortable_with_cidr");
  if (query.cidr !== undefined || query.sort === "ip") {
    const network = query.cidr === undefined ? null : parseCidr(query.cidr);
    return ipsWithin(db, scope, { ...query, network });
  }
  const before = decodeCursor(query.cursor, ["number", "text"]);
  const rows = await busiestIps(db, scope, {
    before: before === null ? null : { licenseCount: Number(before[0]), ip: String(before[1]) },
    limit: query.limit + 1,
    minLicenses: query.min_licenses,
  });
  const { data, next_cursor } = pageOf(
    rows,
    query.limit,
    (row) => [row.license_count, row.ip],
    (row) => row,
  );
  return { rows: data, next_cursor };
}

/** The IP address in a path. */
export function askedIp(text: string): QueriedIp {
  const asked = parseQueriedIp(text);
  if (asked !== null) return asked;
  throw invalid("ip", "not_an_ip");
}

export function showSighting(row: IpSightingRow) {
  return {
    ip: row.ip,
    first_seen_at: iso(row.first_seen_at),
    last_seen_at: iso(row.last_seen_at),
    hits: row.hits,
    license_count: row.license_count,
  };
}
