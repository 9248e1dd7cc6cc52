import type pg from "pg";
import { newId } from "../new-id.ts";
import { addressData } from "../refusals.ts";
import * as sql from "./sql.ts";

export interface WantedPlace {
  /** Where in the batch the request stands. */
  readonly place: number;
  readonly organizationId: string;
  readonly productId: string;
  readonly licenseId: string;
  readonly ip: string;
  readonly firstOnly: boolean;
}

export interface PlaceResult {
  readonly place: number;
  /** How many addresses the license had before this request's turn. */
  readonly registeredBefore: number;
  readonly maxIps: number;
  /** The address holds a place already: another request was quicker. */
  readonly held: boolean;
  readonly taken: boolean;
}

/**
 * Gives addresses their places, never more than a license has. The rows are locked first and in one order; the
 * statement after that sees everything registered until then, by any node.
 */
export async function registerIps(
  client: pg.Client,
  wanted: readonly WantedPlace[],
  nowMs: number,
): Promise<PlaceResult[]> {
  const firsts = new Map<string, WantedPlace>();
  for (const want of wanted) {
    const key = `${want.licenseId} ${want.ip}`;
    if (!firsts.has(key)) firsts.set(key, want);
  }
  const asking = [...firsts.values()];
  const [, , , result] = await Promise.all([
    client.query({ name: "begin", text: "begin" }),
    client.query(sql.waitForDisk),
    client.query({ ...sql.lockLicenses, values: [[...new Set(asking.map((want) => want.licenseId))]] }),
    client.query<RegisterRow>({
      ...sql.registerIps,
      values: [
        asking.map((want) => want.place),
        asking.map((want) => want.licenseId),
        asking.map((want) => want.ip),
        asking.map((want) => want.firstOnly),
        nowMs,
        asking.map(() => newId()),
        asking.map(({ organizationId, productId, licenseId, ip }) =>
          addressData({ organizationId, productId, licenseId, ip }),
        ),
      ],
    }),
    client.query({ name: "commit", text: "commit" }),
  ]);
  const rows = new Map(result.rows.map((row) => [row.place, row]));
  return wanted.flatMap((want) => {
    const first = firsts.get(`${want.licenseId} ${want.ip}`);
    const row = first === undefined ? undefined : rows.get(first.place);
    if (first === undefined || row === undefined) return [];
    // A second request of this batch from the same address finds the place taken by the first.
    const follows = first.place !== want.place && row.taken;
    return [
      {
        place: want.place,
        registeredBefore: row.registered_before + (follows ? 1 : 0),
        maxIps: row.max_ips,
        held: row.held || follows,
        taken: row.taken && !follows,
      },
    ];
  });
}

interface RegisterRow {
  place: number;
  registered_before: number;
  max_ips: number;
  held: boolean;
  taken: boolean;
}
