import type { EventType } from "@countersign/domain/events/types";
import { stateOf } from "@countersign/store/queries/admin/platform-state";
import { markExpiriesRecorded, stillDue } from "@countersign/store/queries/events/expiries";
import { type ShownLicense, shownLicenses } from "@countersign/store/queries/licenses/views";
import {
  decideTransfer,
  knownTargets,
  outdatedTransfers,
  recipientKey,
} from "@countersign/store/queries/transfers/transfers";
import type { Database } from "@countersign/store/store";
import { difference } from "../audit-log/record.ts";
import { licenseEvent, type NewEvent, recordEvents, recordUnsentEvents, transferEvent } from "./record.ts";

export type ChangeEvent = Exclude<Extract<EventType, `license.${string}`>, "license.bulk_revoked">;

/**
 * Records events for each license that a change modified. A license that is not in `after` was deleted. Transfers that
 * waited for a license that was deleted or now belongs to another customer are cancelled.
 */
export async function recordChanges(
  db: Database,
  nowMs: number,
  type: ChangeEvent,
  before: readonly ShownLicense[],
  after: ReadonlyMap<string, ShownLicense>,
): Promise<void> {
  const events: NewEvent[] = [];
  const ended: ShownLicense[] = [];
  const deleted: ShownLicense[] = [];
  const moved: string[] = [];
  for (const old of before) {
    const now = after.get(old.id);
    if (now === undefined) {
      events.push(licenseEvent("license.deleted", old));
      deleted.push(old);
      continue;
    }
    if (old.global_customer_id !== now.global_customer_id) moved.push(now.id);
    const { before: previous } = difference(comparable(old), comparable(now));
    const changed = Object.keys(previous);
    if (changed.length === 0) continue;
    events.push(licenseEvent(type, now, particulars(type, old, now, changed, previous)));
    if (old.status !== "expired" && now.status === "expired") ended.push(now);
  }
  await recordEvents(db, nowMs, ...events);
  if (ended.length > 0) await recordExpiries(db, nowMs, "license.expired", ended);
  await closeOutdatedTransfers(db, nowMs, [...deleted.map(({ id }) => id), ...moved], deleted);
}

/** A bulk revoke: one event per product, so that endpoints can filter by product. */
export async function recordBulkRevoked(
  db: Database,
  nowMs: number,
  revoked: readonly ShownLicense[],
): Promise<void> {
  const events = [...Map.groupBy(revoked, (license) => license.product_id).values()].flatMap(
    (ofProduct): NewEvent[] => {
      const [first] = ofProduct;
      if (first === undefined) return [];
      const { organization_id, product_id, revoked_reason: reason } = first;
      const ids = ofProduct.map(({ id }) => id);
      return [
        {
          type: "license.bulk_revoked",
          organizationId: organization_id,
          productId: product_id,
          licenseId: null,
          data: { organization_id, product_id, license_ids: ids, count: ids.length, reason },
        },
      ];
    },
  );
  await recordEvents(db, nowMs, ...events);
  // For the history of each license; endpoints get the one event above instead.
  await recordUnsentEvents(
    db,
    nowMs,
    ...revoked.map((license) => licenseEvent("license.revoked", license, { reason: license.revoked_reason })),
  );
}

/** Runs `work` and records what it changed about these licenses. */
export async function recordingChanges<T>(
  db: Database,
  nowMs: number,
  type: ChangeEvent,
  ids: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const before = await shownLicenses(db, ids, nowMs);
  await recordExpiredBefore(db, nowMs, before);
  const result = await work();
  const after = await shownLicenses(db, ids, nowMs);
  await recordChanges(db, nowMs, type, before, new Map(after.map((license) => [license.id, license])));
  return result;
}

export async function recordCreated(
  db: Database,
  nowMs: number,
  created: readonly ShownLicense[],
): Promise<void> {
  await recordEvents(db, nowMs, ...created.map((license) => licenseEvent("license.created", license)));
}

/** Before a change: after it, the expiry check would not find them. */
export async function recordExpiredBefore(
  db: Database,
  nowMs: number,
  licenses: readonly ShownLicense[],
): Promise<void> {
  const expired = licenses.filter(({ status }) => status === "expired");
  if (expired.length > 0)
    await recordMissedExpiries(
      db,
      nowMs,
      expired.map(({ id }) => id),
    );
}

/** Without derived members. */
function comparable({ updated_at: _, product_name: __, ...license }: ShownLicense) {
  return license;
}

function particulars(
  type: ChangeEvent,
  old: ShownLicense,
  now: ShownLicense,
  changed: readonly string[],
  previous: object,
): object {
  switch (type) {
    case "license.updated":
    case "license.renewed":
      return { changed, previous };
    case "license.revoked":
      return { reason: now.revoked_reason };
    case "license.ips_reset":
      return { count: old.current_unique_ip_count };
    default:
      return {};
  }
}

/**
 * Cancels transfers that wait although their license was deleted or given to another customer, in the transaction that
 * did this to the locked licenses. `deleted` are the licenses as they were last, for the events.
 */
export async function closeOutdatedTransfers(
  db: Database,
  nowMs: number,
  licenseIds: readonly string[],
  deleted: readonly ShownLicense[] = [],
): Promise<void> {
  if (licenseIds.length === 0) return;
  const outdated = await outdatedTransfers(db, licenseIds);
  const [first] = outdated;
  if (first === undefined) return;
  const current = await shownLicenses(
    db,
    outdated.map((transfer) => transfer.license_id),
    nowMs,
  );
  const existing = new Map(current.map((license) => [license.id, license]));
  const before = new Map(deleted.map((license) => [license.id, license]));
  const targets = await knownTargets(db, first.organization_id, outdated);
  for (const { id, license_id: licenseId } of outdated) {
    const license = existing.get(licenseId) ?? null;
    const reason = license === null ? "license_deleted" : "customer_changed";
    const decision = { state: "cancelled", decided_by: "system", decided_by_name: null, reason } as const;
    const closed = await decideTransfer(db, id, decision, nowMs);
    if (closed === undefined) continue;
    const target = targets.get(recipientKey(closed)) ?? null;
    await recordEvents(db, nowMs, transferEvent(closed, target, license ?? before.get(licenseId) ?? null));
  }
}

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
