import type pg from "pg";
import { ipEventData } from "../batches/refusals.ts";
import { newId } from "../new-id.ts";
import { isLocked } from "./failures.ts";
import { inOneWrite } from "./one-write.ts";
import * as sql from "./sql.ts";

interface WantedRegistration {
  /** The position of the request in the batch. */
  readonly position: number;
  readonly organizationId: string;
  readonly productId: string;
  readonly licenseId: string;
  readonly ip: string;
  /** The /64 of a caller that is counted individually; null for every other. */
  readonly network: string | null;
  readonly firstOnly: boolean;
}

interface RegistrationResult {
  /** How many IP addresses the license had before this request. */
  readonly registeredBefore: number;
  readonly maxIps: number;
  /** The IP address is already registered: another request was faster. */
  readonly held: boolean;
  readonly taken: boolean;
  /** Whether the license got a new registration and thereby was used; then when it expires. */
  readonly used: boolean;
  readonly expiresAtMs: number | null;
}

/**
 * Assigns slots to IP addresses, never more than a license has. The rows are locked first, without waiting for any; the
 * next statement sees everything registered until then, by any node. Licenses locked by another session get no result;
 * null if nothing could be registered.
 */
export async function registerIps(
  client: pg.Client,
  wanted: readonly WantedRegistration[],
  nowMs: number,
): Promise<ReadonlyMap<number, RegistrationResult> | null> {
  const firsts = new Map<string, WantedRegistration>();
  for (const want of wanted) {
    const key = `${want.licenseId} ${want.ip}`;
    if (!firsts.has(key)) firsts.set(key, want);
  }
  const asking = [...firsts.values()];
  let rows: Map<number, RegisterRow>;
  try {
    rows = await inOneWrite(client, () => register(client, asking, nowMs));
  } catch (error) {
    if (isLocked(error)) return null;
    throw error;
  }
  const results = new Map<number, RegistrationResult>();
  for (const want of wanted) {
    const first = firsts.get(`${want.licenseId} ${want.ip}`);
    const row = first === undefined ? undefined : rows.get(first.position);
    if (first === undefined || row === undefined) continue;
    // A second request in this batch from the same IP address finds the slot taken by the first.
    const follows = first.position !== want.position && row.taken;
    results.set(want.position, {
      registeredBefore: row.registered_before + (follows ? 1 : 0),
      maxIps: row.max_ips,
      held: row.held || follows,
      taken: row.taken && !follows,
      used: row.used,
      expiresAtMs: row.expires_at,
    });
  }
  return results;
}

async function register(
  client: pg.Client,
  asking: readonly WantedRegistration[],
  nowMs: number,
): Promise<Map<number, RegisterRow>> {
  const [, , , { rows }] = await Promise.all([
    client.query({ name: "begin", text: "begin" }),
    client.query(sql.waitForDisk),
    client.query({ ...sql.lockLicenses, values: [[...new Set(asking.map((want) => want.licenseId))]] }),
    client.query<RegisterRow>({
      ...sql.registerIps,
      values: [
        asking.map((want) => want.position),
        asking.map((want) => want.licenseId),
        asking.map((want) => want.ip),
        asking.map((want) => want.firstOnly),
        nowMs,
        asking.map(() => newId()),
        asking.map(({ organizationId, productId, licenseId, ip }) =>
          ipEventData({ organizationId, productId, licenseId, ip }),
        ),
        asking.map((want) => want.network),
      ],
    }),
    client.query({ name: "commit", text: "commit" }),
  ]);
  return new Map(rows.map((row) => [row.position, row]));
}

interface RegisterRow {
  position: number;
  registered_before: number;
  max_ips: number;
  held: boolean;
  taken: boolean;
  used: boolean;
  expires_at: number | null;
}
