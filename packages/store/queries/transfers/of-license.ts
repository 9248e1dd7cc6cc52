import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";

/** The pending transfer of a license. There is at most one. */
export const pendingTransferOf = prepared((db, licenseId: string) =>
  db.selectFrom("transfers").selectAll().where("license_id", "=", licenseId).where("state", "=", "pending"),
).first;

/** Those of the licenses that have a pending transfer. */
export async function licensesInTransfer(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom("transfers")
    .select("license_id")
    .where("license_id", "in", ids)
    .where("state", "=", "pending")
    .execute();
  return new Set(rows.map(({ license_id }) => license_id));
}

/** When the license last changed hands; null if it never did. */
export async function lastTransferredAt(db: Database, licenseId: string): Promise<number | null> {
  const row = await db
    .selectFrom("transfers")
    .select((is) => is.fn.max("decided_at").as("at"))
    .where("license_id", "=", licenseId)
    .where("state", "=", "approved")
    .executeTakeFirst();
  return row?.at == null ? null : Number(row.at);
}
