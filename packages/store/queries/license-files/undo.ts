import type { Bulk, Database } from "../../store.ts";
import type { ImportUndoRow } from "../../tables/license-files.ts";
import type { LicenseRow } from "../../tables/licenses.ts";
import { type RegisteredIp, replaceIps, replaceTags } from "../licenses/ips.ts";
import { refreshSearchTextOf } from "../licenses/search.ts";
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

type Known = Pick<LicenseRow, "id" | "first_used_at" | "updated_at" | "ips_updated_at">;

/** What an undo would find, or found. */
export interface UndoForecast {
  /** Licenses that the import created and that still exist. */
  readonly created: number;
  /** How many of these have been used or changed since. */
  readonly used: number;
  /** Licenses that the import updated and that still exist. */
  readonly updated: number;
  /** How many of these have been changed since, and so cannot be restored. */
  readonly changed: number;
}

/** Some of what an import wrote, after a license, with where to continue; null at the end. */
export async function forecastUndo(
  db: Database,
  importId: string,
  after: string,
  limit: number,
): Promise<{ readonly counts: UndoForecast; readonly next: string | null }> {
  const rows = await db
    .selectFrom("import_undo as u")
    .leftJoin("licenses as l", "l.id", "u.license_id")
    .select(["u.license_id", "u.written_at", "l.id", "l.first_used_at", "l.updated_at", "l.ips_updated_at"])
    .select((is) => is("u.before", "is", null).as("is_new"))
    .where("u.import_id", "=", importId)
    .where("u.license_id", ">", after)
    .orderBy("u.license_id")
    .limit(limit)
    .execute();
  const counts = { created: 0, used: 0, updated: 0, changed: 0 };
  for (const { id, is_new: isNew, written_at: writtenAt, ...license } of rows) {
    if (id === null) continue;
    const known = { id, ...license } as Known;
    counts[isNew ? "created" : "updated"] += 1;
    if (isNew && isTouched(known, writtenAt)) counts.used += 1;
    if (!isNew && isChanged(known, writtenAt)) counts.changed += 1;
  }
  return { counts, next: rows.length < limit ? null : (rows.at(-1)?.license_id ?? null) };
}

export interface UndoPlan {
  /** What to revert: created licenses are deleted, others restored. */
  readonly rows: readonly ImportUndoRow[];
  readonly deleted: number;
  readonly restored: number;
  /** Licenses that stay as they are. */
  readonly kept: number;
}

/**
 * Decides about some locked licenses. What has been used or changed since stays, unless its deletion is requested.
 * Updated licenses are restored only if they have not been changed since.
 */
export async function planUndo(
  db: Database,
  undo: readonly ImportUndoRow[],
  deleteUsed: boolean,
): Promise<UndoPlan> {
  const ids = undo.map((row) => row.license_id);
  if (ids.length === 0) return { rows: [], deleted: 0, restored: 0, kept: 0 };
  const licenses = await db
    .selectFrom("licenses")
    .select(["id", "first_used_at", "updated_at", "ips_updated_at"])
    .where("id", "in", ids)
    .execute();
  const known = new Map(licenses.map((license) => [license.id, license]));
  const customers = await customersThere(db, undo);
  const rows: ImportUndoRow[] = [];
  let deleted = 0;
  let kept = 0;
  for (const row of undo) {
    const license = known.get(row.license_id);
    if (license === undefined) continue;
    const stays =
      row.before === null
        ? !deleteUsed && isTouched(license, row.written_at)
        : isChanged(license, row.written_at) || !customers(row.before);
    if (stays) kept += 1;
    else rows.push(row);
    if (!stays && row.before === null) deleted += 1;
  }
  return { rows, deleted, restored: rows.length - deleted, kept };
}

/** As many of them, from the start and at least one, as have no more registered IP addresses than this in total. */
export async function withFewIps(
  db: Database,
  undo: readonly ImportUndoRow[],
  maxIps: number,
): Promise<readonly ImportUndoRow[]> {
  if (undo.length === 0) return undo;
  const ids = undo.map((row) => row.license_id);
  const rows = await db.selectFrom("licenses").select(["id", "ip_count"]).where("id", "in", ids).execute();
  const counts = new Map(rows.map((row) => [row.id, row.ip_count]));
  let sum = 0;
  const end = undo.findIndex((row) => {
    sum += counts.get(row.license_id) ?? 0;
    return sum > maxIps;
  });
  return end < 0 ? undo : undo.slice(0, Math.max(1, end));
}

export async function carryOutUndo(db: Database, { rows }: UndoPlan, nowMs: number): Promise<void> {
  await revertRows(db, rows, { updated_at: nowMs });
  // The customer's name may be different by now.
  await refreshSearchTextOf(
    db,
    rows.filter((row) => row.before !== null).map((row) => row.license_id),
  );
}

export async function removeUndoRows(
  db: Database,
  bulk: Bulk,
  importId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await db
    .deleteFrom("import_undo")
    .where("import_id", "=", importId)
    .where(bulk.among("license_id", ids))
    .execute();
}

function isTouched(license: Known, writtenAt: number): boolean {
  return license.first_used_at !== null || isChanged(license, writtenAt);
}

function isChanged({ updated_at, ips_updated_at }: Known, writtenAt: number): boolean {
  return updated_at !== writtenAt || ips_updated_at > writtenAt;
}

/** Whether the customer that a license had before still exists: one who lost their last license can be deleted. */
async function customersThere(
  db: Database,
  undo: readonly ImportUndoRow[],
): Promise<(before: string) => boolean> {
  const customerOf = (before: string) => (JSON.parse(before) as PreviousValues).columns.customer_id ?? null;
  const wanted = undo.flatMap((row) => (row.before === null ? [] : (customerOf(row.before) ?? [])));
  if (wanted.length === 0) return () => true;
  const customers = await db
    .selectFrom("organization_customers")
    .select("customer_id")
    .where("customer_id", "in", [...new Set(wanted)])
    .where("organization_id", "in", (is) =>
      is
        .selectFrom("imports")
        .select("organization_id")
        .where("id", "=", undo[0]?.import_id ?? ""),
    )
    .execute();
  const there = new Set(customers.map((row) => row.customer_id));
  return (before) => {
    const id = customerOf(before);
    return id === null || there.has(id);
  };
}
