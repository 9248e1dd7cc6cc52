import { isoTime } from "@countersign/domain/dates/iso-time";
import {
  type Cidr,
  commonText,
  isWithin,
  parseCidr,
  parseQueriedIp,
  type QueriedIp,
} from "@countersign/domain/ip/cidr";
import { busiestIps, ipsStartingWith, type SightingScope } from "@countersign/store/queries/ips/sightings";
import type { Database } from "@countersign/store/store";
import type { IpSightingRow } from "@countersign/store/tables/journal";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { decodeCursor, encodeCursor, pageOf } from "../../api/page.ts";
import { invalid } from "../../http/problem.ts";

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
  const queriedIp = parseQueriedIp(text);
  if (queriedIp !== null) return queriedIp;
  throw invalid("ip", "not_an_ip");
}

export function showSighting(row: IpSightingRow) {
  return {
    ip: row.ip,
    first_seen_at: isoTime(row.first_seen_at),
    last_seen_at: isoTime(row.last_seen_at),
    hits: row.hits,
    license_count: row.license_count,
  };
}

const rowsAtOnce = 500;
const maxRows = 5_000;

/** The IP addresses of a network, or all of them, in text order; a page ends once enough rows were read. */
async function ipsWithin(
  db: Database,
  scope: SightingScope,
  page: {
    readonly network: Cidr | null;
    readonly min_licenses: number;
    readonly cursor?: string | undefined;
    readonly limit: number;
  },
): Promise<{ rows: IpSightingRow[]; next_cursor: string | null }> {
  const { network, limit } = page;
  const text = network === null ? "" : commonText(network);
  const start = decodeCursor(page.cursor, ["text"])?.[0] ?? null;
  let after = start === null ? null : String(start);
  const matching: IpSightingRow[] = [];
  for (let read = 0; read < maxRows; read += rowsAtOnce) {
    const rows = await ipsStartingWith(db, scope, text, after, rowsAtOnce);
    for (const row of rows) {
      const isMeant =
        row.license_count >= page.min_licenses && (network === null || isWithin(row.ip, network));
      if (isMeant && matching.length === limit)
        return { rows: matching, next_cursor: encodeCursor([matching.at(-1)?.ip ?? row.ip]) };
      if (isMeant) matching.push(row);
      after = row.ip;
    }
    if (rows.length < rowsAtOnce) return { rows: matching, next_cursor: null };
    await yieldToEventLoop();
  }
  return { rows: matching, next_cursor: encodeCursor([after]) };
}
