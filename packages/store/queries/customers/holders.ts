import type { Database } from "../../store.ts";
import { unindexed } from "../conditions.ts";

/** Who had licenses, and when: see the migration of `former_holders`. */

/** A time in which a license was a customer's: after the first, up to and with the second. */
export interface Tenure {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Since when these licenses are this customer's, as far as they were another's before. */
export async function heldSince(
  db: Database,
  licenseIds: readonly string[],
  customerId: string,
): Promise<Map<string, number>> {
  if (licenseIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("former_holders")
    .select(({ fn }) => ["license_id", fn.max("until_at").as("until_at")])
    .where("license_id", "in", licenseIds)
    .where(unindexed("customer_id"), "!=", customerId)
    .groupBy("license_id")
    .execute();
  return new Map(rows.map((row) => [row.license_id, Number(row.until_at)]));
}

/** Licenses that a customer lost, also such that they got back or that were deleted since; after one of them. */
export function formerLicenses(db: Database, customerId: string, afterId: string, limit: number) {
  return db
    .selectFrom("former_holders")
    .select("license_id")
    .distinct()
    .where("customer_id", "=", customerId)
    .where("license_id", ">", afterId)
    .orderBy("license_id")
    .limit(limit)
    .execute();
}

/** The times in which these licenses were a customer's, before another had them. */
export async function tenuresOf(
  db: Database,
  licenseIds: readonly string[],
  customerId: string,
): Promise<Map<string, Tenure[]>> {
  if (licenseIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("former_holders")
    .selectAll()
    .where("license_id", "in", licenseIds)
    .where(unindexed("customer_id"), "=", customerId)
    .orderBy("until_at")
    .execute();
  const tenures = new Map<string, Tenure[]>();
  for (const { license_id: id, since_at: sinceMs, until_at: untilMs } of rows)
    tenures.set(id, [...(tenures.get(id) ?? []), { sinceMs, untilMs }]);
  return tenures;
}

/** Of these licenses, those that still exist, with their present customer. */
export async function licensesWithHolder(db: Database, licenseIds: readonly string[]) {
  if (licenseIds.length === 0) return [];
  return db
    .selectFrom("licenses")
    .select(["id", "product_id", "ip_count", "customer_id"])
    .where("id", "in", licenseIds)
    .execute();
}

/**
 * A customer becomes another one, because their record has another email address now: what they had before is that
 * customer's. Their present licenses are moved separately.
 */
export async function movePast(
  db: Database,
  { fromId, toId }: { readonly fromId: string; readonly toId: string },
): Promise<void> {
  await db
    .updateTable("former_holders")
    .set({ customer_id: toId })
    .where("customer_id", "=", fromId)
    .execute();
  for (const column of ["from_customer_id", "to_customer_id"] as const)
    await db
      .updateTable("transfers")
      .set({ [column]: toId })
      .where(column, "=", fromId)
      // One that waits ended when its license was moved.
      .where("state", "!=", "pending")
      .execute();
}
