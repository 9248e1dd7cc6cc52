import { markEndingsTold, stillDue } from "@countersign/store/queries/expiries";
import { stateOf } from "@countersign/store/queries/platform-state";
import type { ShownLicense } from "@countersign/store/shown-license";
import type { Database } from "@countersign/store/store";
import { licenseEvent } from "./license-event.ts";
import { tell } from "./tell.ts";

/** Until when the expiry watch has looked. */
export const watchedUntil = "expiries_told_until";
/** A change that began before the last look and was committed after it is found by looking back that far. */
export const lookBackMs = 120_000;

/**
 * Records `license.expired` for licenses that are past their end and about to be changed, where the expiry watch has
 * not come to them yet: after the change it would not find them. Called before the change, on rows that are locked.
 */
export async function tellMissedEndings(
  db: Database,
  nowMs: number,
  ids: readonly string[],
  show: (db: Database, ids: readonly string[], nowMs: number) => Promise<ShownLicense[]>,
): Promise<void> {
  if (ids.length === 0) return;
  const state = await stateOf(db, watchedUntil);
  // What ended before the very first look is never told of.
  if (state === null) return;
  const afterMs = Number(state) - lookBackMs;
  const type = "license.expired";
  const due = { organizationIds: [], type, days: 0, afterMs, untilMs: nowMs } as const;
  const missed = await stillDue(db, due, ids);
  if (missed.length > 0) await tellEndings(db, nowMs, type, await show(db, missed, nowMs));
}

/** Tells that licenses run out, or did, unless somebody has told that of the same end already. */
export async function tellEndings(
  db: Database,
  nowMs: number,
  type: "license.expiring_soon" | "license.expired",
  licenses: readonly ShownLicense[],
): Promise<ShownLicense[]> {
  const endings = licenses.flatMap(({ id, expires_at }) =>
    expires_at === null ? [] : [{ license_id: id, type, ends_at: Date.parse(expires_at) }],
  );
  const fresh = await markEndingsTold(db, endings);
  const told = licenses.filter(({ id }) => fresh.has(id));
  await tell(db, nowMs, ...told.map((license) => licenseEvent(type, license)));
  return told;
}
