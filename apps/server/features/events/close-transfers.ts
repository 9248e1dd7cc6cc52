import { type ShownLicense, shownLicenses } from "@countersign/store/queries/licenses/views";
import { keyOf, knownTargets } from "@countersign/store/queries/transfers/targets";
import { decideTransfer, outdatedTransfers } from "@countersign/store/queries/transfers/transfers";
import type { Database } from "@countersign/store/store";
import { recordEvents } from "./record.ts";
import { transferEvent } from "./transfer-event.ts";

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
    const target = targets.get(keyOf(closed)) ?? null;
    await recordEvents(db, nowMs, transferEvent(closed, target, license ?? before.get(licenseId) ?? null));
  }
}
