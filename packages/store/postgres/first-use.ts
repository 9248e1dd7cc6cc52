import type pg from "pg";
import { isLocked } from "./failures.ts";
import { LockedOut, lockedOut, type Outcome } from "./locked-out.ts";
import { inOneWrite } from "./one-write.ts";
import * as sql from "./sql.ts";

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
