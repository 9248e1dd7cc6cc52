import { stateOf } from "@countersign/store/queries/admin/platform-state";
import { markExpiriesRecorded, stillDue } from "@countersign/store/queries/events/expiries";
import { type ShownLicense, shownLicenses } from "@countersign/store/queries/licenses/views";
import type { Database } from "@countersign/store/store";
import { licenseEvent, recordEvents } from "./record.ts";

/** The time of the last expiry check. */
export const watchedUntil = "expiries_checked_until";
/** How far each check looks back, to find changes that began before the last check and were committed after it. */
export const lookBackMs = 120_000;

/**
 * Records `license.expired` for expired licenses that are about to be changed and that the expiry check has not
 * reached: it would not find them after the change. Called before the change, on locked rows.
 */
export async function recordMissedExpiries(
  db: Database,
  nowMs: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const state = await stateOf(db, watchedUntil);
  // Expiries before the very first check are never recorded.
  if (state === null) return;
  const afterMs = Number(state) - lookBackMs;
  const type = "license.expired";
  const due = { organizationIds: [], type, days: 0, afterMs, untilMs: nowMs } as const;
  const missed = await stillDue(db, due, ids);
  if (missed.length > 0) await recordExpiries(db, nowMs, type, await shownLicenses(db, missed, nowMs));
}

/** Records that licenses expire soon, or have expired, unless that was already recorded for the same expiry. */
export async function recordExpiries(
  db: Database,
  nowMs: number,
  type: "license.expiring_soon" | "license.expired",
  licenses: readonly ShownLicense[],
): Promise<ShownLicense[]> {
  const endings = licenses.flatMap(({ id, expires_at }) =>
    expires_at === null ? [] : [{ license_id: id, type, ends_at: Date.parse(expires_at) }],
  );
  const fresh = await markExpiriesRecorded(db, endings);
  const recorded = licenses.filter(({ id }) => fresh.has(id));
  await recordEvents(db, nowMs, ...recorded.map((license) => licenseEvent(type, license)));
  return recorded;
}
