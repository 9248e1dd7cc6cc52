import type { Database } from "../../store.ts";
import type { ImportUndoRow } from "../../tables/license-files.ts";
import type { LicenseRow } from "../../tables/licenses.ts";
import { refreshSearchTextOf } from "../licenses/search.ts";
import { type RegisteredIp, replaceIps, replaceTags } from "../licenses/tags-and-ips.ts";
import { lastTransfers } from "../transfers/transfers.ts";

/** The previous values of a license. Lists are omitted if they were not changed. */
export interface PreviousValues {
  readonly columns: Partial<LicenseRow>;
  readonly tags?: readonly string[];
  readonly ips?: readonly RegisteredIp[];
}

/**
 * Reverts an import: removes what it created, and restores what it updated. A license that was transferred in the
 * meantime stays with its recipient, and does not get back the IP addresses of its former customer.
 */
export async function revertRows(
  db: Database,
  undo: readonly ImportUndoRow[],
  changes: Partial<LicenseRow> = {},
): Promise<void> {
  const created = undo.filter((row) => row.before === null).map((row) => row.license_id);
  await removeLicenses(db, created);
  const transferred = await transferredSince(db, undo);
  for (const row of undo) {
    if (row.before === null) continue;
    const stored = JSON.parse(row.before) as PreviousValues;
    const before = transferred.has(row.license_id) ? withoutCustomer(stored) : stored;
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
  await refreshSearchTextOf(db, [...transferred]);
}

function withoutCustomer({ columns, ips: _, ...rest }: PreviousValues): PreviousValues {
  const { customer_id: __, search_text: ___, ip_count: ____, ...others } = columns;
  return { ...rest, columns: others };
}

/** The licenses that changed after the import wrote them and belong to the customer they were last transferred to. */
async function transferredSince(db: Database, undo: readonly ImportUndoRow[]): Promise<ReadonlySet<string>> {
  const updated = undo.filter((row) => row.before !== null);
  const writtenAt = new Map(updated.map((row) => [row.license_id, row.written_at]));
  const transfers = await lastTransfers(db, [...writtenAt.keys()]);
  if (transfers.length === 0) return new Set();
  const targets = new Map(transfers.map((transfer) => [transfer.license_id, transfer.to_customer_id]));
  const licenses = await db
    .selectFrom("licenses")
    .select(["id", "customer_id", "updated_at"])
    .where("id", "in", [...targets.keys()])
    .execute();
  const since = licenses.filter(
    ({ id, customer_id: customerId, updated_at: updatedAt }) =>
      updatedAt > (writtenAt.get(id) ?? 0) && customerId === targets.get(id),
  );
  return new Set(since.map(({ id }) => id));
}

/** With everything that belongs to them. */
async function removeLicenses(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom("license_ips").where("license_id", "in", ids).execute();
  await db.deleteFrom("license_tags").where("license_id", "in", ids).execute();
  await db.deleteFrom("recorded_expiries").where("license_id", "in", ids).execute();
  await db.deleteFrom("unannounced_expiries").where("license_id", "in", ids).execute();
  await db.deleteFrom("portal_actions").where("license_id", "in", ids).execute();
  await db.deleteFrom("ip_blocks").where("tier", "=", "license").where("scope_id", "in", ids).execute();
  await db.deleteFrom("licenses").where("id", "in", ids).execute();
}
