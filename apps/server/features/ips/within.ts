import type { Cidr } from "@countersign/domain/ip/cidr";
import { commonText, isWithin } from "@countersign/domain/ip/cidr";
import { ipsStartingWith, type SightingScope } from "@countersign/store/queries/ips/sightings";
import type { Database } from "@countersign/store/store";
import type { IpSightingRow } from "@countersign/store/tables/journal";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { decodeCursor, encodeCursor } from "../../api/page.ts";

const rowsAtOnce = 500;
const mostRows = 5_000;

/** The IP addresses of a network, or all of them, in text order; a page ends once enough rows were read. */
export async function ipsWithin(
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
  const found: IpSightingRow[] = [];
  for (let read = 0; read < mostRows; read += rowsAtOnce) {
    const rows = await ipsStartingWith(db, scope, text, after, rowsAtOnce);
    for (const row of rows) {
      const isMeant =
        row.license_count >= page.min_licenses && (network === null || isWithin(row.ip, network));
      if (isMeant && found.length === limit)
        return { rows: found, next_cursor: encodeCursor([found.at(-1)?.ip ?? row.ip]) };
      if (isMeant) found.push(row);
      after = row.ip;
    }
    if (rows.length < rowsAtOnce) return { rows: found, next_cursor: null };
    await yieldToEventLoop();
  }
  return { rows: found, next_cursor: encodeCursor([after]) };
}
