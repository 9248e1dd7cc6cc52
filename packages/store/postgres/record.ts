import { refusalHour } from "@countersign/domain/events/thresholds";
import type pg from "pg";
import { ipEventData, type Refusals, refusalKey } from "../batches/batch.ts";
import { newId } from "../new-id.ts";
import { inOneWrite } from "./connection-pool.ts";
import { isLocked } from "./errors.ts";
import { LockedOut, lockedOut, type Outcome } from "./locked-calls.ts";
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

/** Licenses that are used by now, and when they expire. */
export type UsedLicenses = ReadonlyMap<string, number | null>;

/**
 * Records first uses, except for those that registered an IP address, which already did. If another node was faster,
 * the term runs from its time, and that is the result. If another session has locked a license, it counts as not used
 * yet, and its calls are locked out.
 */
export async function startTerms(
  client: pg.Client,
  outcomes: Outcome[],
  usedBefore: UsedLicenses,
  nowMs: number,
): Promise<void> {
  const first = new Set<string>();
  const ids = new Set<string>();
  for (const outcome of outcomes) {
    const id = firstUsed(outcome);
    if (id === null) continue;
    first.add(id);
    if (!usedBefore.has(id)) ids.add(id);
  }
  if (first.size === 0) return;
  const used = ids.size === 0 ? usedBefore : await firstUses(client, ids, usedBefore, nowMs);
  outcomes.forEach((outcome, position) => {
    const id = firstUsed(outcome);
    if (id === null || outcome instanceof LockedOut || outcome.tag !== "validated") return;
    const expiresAtMs = used.get(id);
    if (expiresAtMs === undefined) outcomes[position] = lockedOut(outcome, null);
    else if (outcome.license?.unused?.termMs != null)
      outcomes[position] = { ...outcome, verdict: { ...outcome.verdict, expiresAtMs } };
  });
}

/** The license that is used for the first time. */
function firstUsed(outcome: Outcome): string | null {
  if (outcome instanceof LockedOut || outcome.tag !== "validated" || !outcome.verdict.firstUse) return null;
  return outcome.license?.id ?? null;
}

async function firstUses(
  client: pg.Client,
  ids: ReadonlySet<string>,
  usedBefore: UsedLicenses,
  nowMs: number,
): Promise<UsedLicenses> {
  const licenses = [...ids].join(sql.separator);
  try {
    const [, , , , { rows }] = await inOneWrite(client, () =>
      Promise.all([
        client.query({ name: "begin", text: "begin" }),
        client.query(sql.waitForDisk),
        client.query({ ...sql.firstUse, values: [licenses, nowMs] }),
        client.query({ name: "commit", text: "commit" }),
        client.query<{ id: string; expires_at: number | null }>({ ...sql.expiries, values: [licenses] }),
      ]),
    );
    return new Map([...usedBefore, ...rows.map((row) => [row.id, row.expires_at] as const)]);
  } catch (error) {
    if (isLocked(error)) return usedBefore;
    throw error;
  }
}

/**
 * Records, before the responses are sent, which rejections get events. Returns the keys of those that have their own
 * event, now or from before.
 */
export async function recordRefusals(
  client: pg.Client,
  refusals: Refusals,
  nowMs: number,
): Promise<string[]> {
  const wanted = [...refusals.values()].map((refusal) => ({
    id: newId(),
    organization_id: refusal.organizationId,
    product_id: refusal.productId,
    license_id: refusal.licenseId,
    ip: refusal.ip,
    type: refusal.type,
    count: refusal.count,
    data: ipEventData(refusal),
  }));
  const values = [JSON.stringify(wanted), refusalHour(nowMs), nowMs];
  const [, , { rows }] = await inOneWrite(client, () =>
    Promise.all([
      client.query({ name: "begin", text: "begin" }),
      client.query(sql.waitForDiskNotForLocks),
      client.query<{ type: string; license_id: string; ip: string }>({ ...sql.recordRefusals, values }),
      client.query({ name: "commit", text: "commit" }),
      // A summary locked by another session misses these: no response waits for a count.
      client.query({ ...sql.summarizeRefusals, values }).catch((error) => {
        if (!isLocked(error)) throw error;
      }),
    ]),
  );
  return rows.map(({ type, license_id: licenseId, ip }) => refusalKey(type, licenseId, ip));
}
