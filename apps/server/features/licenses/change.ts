import { isEventType } from "@countersign/domain/events/types";
import { maskedKey } from "@countersign/domain/licenses/key";
import type { LicenseChange } from "@countersign/store/queries/license-changes";
import { licensesOf } from "@countersign/store/queries/licenses";
import type { ShownLicense } from "@countersign/store/shown-license";
import type { Database } from "@countersign/store/store";
import type { LicenseRow } from "@countersign/store/tables";
import { type Context, theOrganization } from "../../http/manage/context.ts";
import { audit, type Change, difference } from "../audit-log/record.ts";
import {
  type ChangeEvent,
  expiredAmong,
  shownLicenses,
  tellBeforeChange,
  tellChanges,
  tellRevokedTogether,
} from "../events/tell-changes.ts";
import type { Drained } from "./drain.ts";

/** The current rows, locked until the transaction ends. Deleted ones and those of others are omitted. */
export async function lockedRows(
  db: Database,
  context: Context,
  ids: readonly string[],
): Promise<LicenseRow[]> {
  if (ids.length === 0) return [];
  await context.store.bulk.lockLicenses(db, ids);
  return licensesOf(db, theOrganization(context).id, ids);
}

export interface Recording {
  /** `together` is for those that share one event. */
  readonly told?: "each" | "together";
  /** What was already removed from them, and counts as part of this change. */
  readonly drained?: Drained;
}

/** Applies one action to locked rows and records, for each that it changed, the values before and after. */
export async function applyChange(
  db: Database,
  context: Context,
  action: string,
  change: LicenseChange,
  rows: readonly LicenseRow[],
  { told = "each", drained = new Map() }: Recording = {},
): Promise<number> {
  const affected = await change.affected(db, rows);
  await recorded(db, context, action, affected, () => change.apply(db, affected), { told, drained });
  return affected.length;
}

/**
 * Runs `work` with the licenses as they are shown, audits what it changed, and records events. If nothing changed,
 * nothing is recorded. Returns how they are shown now.
 */
export async function recorded(
  db: Database,
  context: Context,
  action: string,
  rows: readonly LicenseRow[],
  work: (before: readonly ShownLicense[]) => Promise<void>,
  { told = "each", drained = new Map() }: Recording = {},
): Promise<ShownLicense[]> {
  if (rows.length === 0) return [];
  const { nowMs } = context;
  const ids = rows.map((row) => row.id);
  const before = (await shownLicenses(db, ids, nowMs)).map((license) => ({
    ...license,
    current_unique_ip_count: license.current_unique_ip_count + (drained.get(license.id) ?? 0),
  }));
  await tellBeforeChange(db, nowMs, expiredAmong(before));
  await work(before);
  const shown = await shownLicenses(db, ids, nowMs);
  const after = new Map(shown.map((license) => [license.id, license]));
  if (told === "together") await tellRevokedTogether(db, nowMs, shown);
  else await tellChanges(db, nowMs, eventOf(action), before, after);
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
  if (!isEventType(action)) throw new Error(`Nobody is told of ${action}.`);
  return action as ChangeEvent;
}

/** Without derived members, and without a whole key. */
function auditable({ updated_at: _, product_name: __, ...license }: ShownLicense) {
  return { ...license, license_key: maskedKey(license.license_key) };
}
