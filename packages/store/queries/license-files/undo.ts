import type { Database } from "../../store.ts";
import type { ImportUndoRow, LicenseRow } from "../../tables.ts";
import { type RegisteredIp, replaceIps, replaceTags } from "../licenses/tags-and-ips.ts";

/** The previous values of a license. Lists are omitted if they were not changed. */
export interface PreviousValues {
  readonly columns: Partial<LicenseRow>;
  readonly tags?: readonly string[];
  readonly ips?: readonly RegisteredIp[];
}

/** Reverts an import: removes what it created, and restores what it updated. */
export async function revertRows(
  db: Database,
  undo: readonly ImportUndoRow[],
  changes: Partial<LicenseRow> = {},
): Promise<void> {
  const created = undo.filter((row) => row.before === null).map((row) => row.license_id);
  await removeLicenses(db, created);
  for (const row of undo) {
    if (row.before === null) continue;
    const before = JSON.parse(row.before) as PreviousValues;
    const { organization_id: organizationId } =
      (await db
        .updateTable("licenses")
        .set({ ...before.columns, ...changes })
        .where("id", "=", row.license_id)
        .returning("organization_id")
        .executeTakeFirst()) ?? {};
    // Deleted in the meantime: there is nothing to restore.
    if (organizationId === undefined) continue;
    if (before.tags !== undefined) await replaceTags(db, organizationId, row.license_id, before.tags);
    if (before.ips !== undefined) await replaceIps(db, row.license_id, before.ips);
  }
}

/** With everything that belongs to them. */
async function removeLicenses(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom("license_ips").where("license_id", "in", ids).execute();
  await db.deleteFrom("license_tags").where("license_id", "in", ids).execute();
  await db.deleteFrom("recorded_expiries").where("license_id", "in", ids).execute();
  await db.deleteFrom("portal_actions").where("license_id", "in", ids).execute();
  await db.deleteFrom("ip_blocks").where("tier", "=", "license").where("scope_id", "in", ids).execute();
  await db.deleteFrom("licenses").where("id", "in", ids).execute();
}
