import { isEventType } from "@countersign/domain/events/types";
import { maskedKey } from "@countersign/domain/licenses/key";
import type { LicenseChange } from "@countersign/store/queries/licenses/changes";
import { drainIps, licenseToDrain } from "@countersign/store/queries/licenses/ips";
import {
  type LicenseView,
  ownLicenseViews,
  type ShownLicense,
  showLicense,
} from "@countersign/store/queries/licenses/views";
import type { Database, Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import type { Context, LicenseContext, OrganizationContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { audit, type Change, difference } from "../audit-log/record.ts";
import {
  type ChangeEvent,
  recordBulkRevoked,
  recordChanges,
  recordExpiredBefore,
} from "../events/record-changes.ts";

/** The licenses as they are now, locked until the transaction ends. Deleted ones and those of others are omitted. */
export async function lockedLicenses(
  db: Database,
  context: OrganizationContext,
  ids: readonly string[],
): Promise<LicenseView[]> {
  if (ids.length === 0) return [];
  await context.store.bulk.lockLicenses(db, ids);
  return ownLicenseViews(db, context.organization.id, ids);
}

/** The license in the path as it is now, locked until the transaction ends. */
export async function current(db: Database, context: LicenseContext): Promise<LicenseView> {
  const [license] = await lockedLicenses(db, context, [context.license.id]);
  if (license === undefined) throw new Problem("license_not_found");
  return license;
}

interface RecordedAction {
  readonly action: string;
  /** Locked. */
  readonly licenses: readonly LicenseView[];
  /** `together` is for those that share one event. */
  readonly eventMode?: "each" | "together";
  /** What was already removed from them, and counts as part of this change. */
  readonly drained?: Drained;
}

/**
 * Applies one action to licenses and records, for each that it changed, the values before and after. Returns how
 * many it changed, and how these are shown now, without deleted ones.
 */
export async function applyChange(
  db: Database,
  context: Context,
  { change, ...recording }: RecordedAction & { readonly change: LicenseChange },
): Promise<{ count: number; shown: ShownLicense[] }> {
  const licenses = await change.affected(db, recording.licenses);
  const apply = () => change.apply(db, licenses);
  return { count: licenses.length, shown: await recorded(db, context, { ...recording, licenses }, apply) };
}

/**
 * Runs `work`, which returns the licenses as they are then, audits what it changed, and records events. If nothing
 * changed, nothing is recorded. Returns how they are shown now.
 */
export async function recorded(
  db: Database,
  context: Context,
  { action, licenses, eventMode = "each", drained = new Map() }: RecordedAction,
  work: (before: readonly ShownLicense[]) => Promise<readonly LicenseView[]>,
): Promise<ShownLicense[]> {
  if (licenses.length === 0) return [];
  const { nowMs } = context;
  const before = licenses.map((license) => {
    const shown = showLicense(license, nowMs);
    const drainedIps = drained.get(license.id) ?? 0;
    return { ...shown, current_unique_ip_count: shown.current_unique_ip_count + drainedIps };
  });
  await recordExpiredBefore(db, nowMs, before);
  const shown = (await work(before)).map((license) => showLicense(license, nowMs));
  const after = new Map(shown.map((license) => [license.id, license]));
  if (eventMode === "together") await recordBulkRevoked(db, nowMs, shown);
  else await recordChanges(db, nowMs, eventOf(action), before, after);
  await audit(
    db,
    context,
    ...before.flatMap((old): Change[] => {
      const subject = { kind: "license", id: old.id, name: maskedKey(old.license_key) };
      const now = after.get(old.id);
      if (now === undefined) {
        const { product_id, customer_email, customer_discord_id, expires_at, status } = old;
        const kept = { product_id, customer_email, customer_discord_id, expires_at, status };
        return [{ action, subject, before: kept }];
      }
      const changed = difference(auditable(old), auditable(now));
      return Object.keys(changed.after).length === 0 ? [] : [{ action, subject, ...changed }];
    }),
  );
  return shown;
}

/** The audit log and events use the same names, except for a replaced key. */
function eventOf(action: string): ChangeEvent {
  if (action === "license.key_rotated") return "license.updated";
  if (!isEventType(action)) throw new Error(`There is no event for ${action}.`);
  return action as ChangeEvent;
}

/** Without derived members, and without a whole key. */
export function auditable({ updated_at: _, product_name: __, ...license }: ShownLicense) {
  return { ...license, license_key: maskedKey(license.license_key) };
}

/** How many IP addresses were removed from licenses before the final transaction. */
export type Drained = ReadonlyMap<string, number>;

/**
 * Removes IP addresses from licenses that will lose all of them, until the rest are few enough for the transaction that
 * records it: a license can have a million, and on SQLite everyone else waits for a transaction. If the server stops in
 * between, the request was not acknowledged, and repeating it does the rest.
 */
export async function drain(store: Store, licenseIds: readonly string[]): Promise<Drained> {
  const drained = new Map<string, number>();
  for (;;) {
    const next = await licenseToDrain(store.reads, licenseIds);
    if (next === null) return drained;
    const removed = await store.transaction(async (db) => {
      await store.bulk.lockLicenses(db, [next.id]);
      return drainIps(db, next.id, next.tooMany);
    }, "soon");
    if (removed === 0) return drained;
    drained.set(next.id, (drained.get(next.id) ?? 0) + removed);
    await yieldToEventLoop();
  }
}
