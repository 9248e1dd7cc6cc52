import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { QuotaCheckRow } from "../../tables/products.ts";

/** What to check, with the threshold of the old limit. */
export interface ScheduledQuotaCheck extends Omit<QuotaCheckRow, "product_id"> {
  readonly oldMark: number;
}

/**
 * Schedules a check for each product of the organizations, except those that had reached the old threshold: they already
 * have an event. A pending check is only postponed.
 */
export async function addQuotaChecks(
  db: Database,
  organizationIds: readonly string[],
  check: ScheduledQuotaCheck,
): Promise<void> {
  if (organizationIds.length === 0) return;
  await db
    .insertInto("quota_checks")
    .columns(["product_id", "type", "day", "changed_at", "check_at"])
    .expression((from) =>
      from
        .selectFrom("products as p")
        .leftJoin("daily_usage as u", (join) =>
          join.onRef("u.product_id", "=", "p.id").on("u.day", "=", check.day),
        )
        .select([
          "p.id",
          sql<QuotaCheckRow["type"]>`cast(${check.type} as text)`.as("type"),
          sql<number>`cast(${check.day} as bigint)`.as("day"),
          sql<number>`cast(${check.changed_at} as bigint)`.as("changed_at"),
          sql<number>`cast(${check.check_at} as bigint)`.as("check_at"),
        ])
        .where("p.organization_id", "in", organizationIds)
        .where("p.deleted_at", "is", null)
        .where((is) => is.or([is("u.used", "is", null), is("u.used", "<", check.oldMark)])),
    )
    .onConflict((conflict) =>
      conflict.columns(["product_id", "type"]).doUpdateSet({ check_at: check.check_at, day: check.day }),
    )
    .execute();
}

export async function dueQuotaChecks(db: Database, nowMs: number, limit: number): Promise<QuotaCheckRow[]> {
  return db
    .selectFrom("quota_checks")
    .selectAll()
    .where("check_at", "<=", nowMs)
    .orderBy("check_at")
    .orderBy("type", "desc")
    .limit(limit)
    .execute();
}

/** Returns whether it still existed as read. The transaction that deletes it runs the check. */
export async function claimQuotaCheck(db: Database, check: QuotaCheckRow): Promise<boolean> {
  const taken = await db
    .deleteFrom("quota_checks")
    .where("product_id", "=", check.product_id)
    .where("type", "=", check.type)
    .where("check_at", "=", check.check_at)
    .executeTakeFirst();
  return taken.numDeletedRows > 0n;
}

/** What a product has used today, locked until the transaction ends, and the terms that set its limit. */
export async function lockedUsage(db: Database, productId: string, day: number) {
  await db
    .updateTable("daily_usage")
    .set((row) => ({ used: row.ref("used") }))
    .where("product_id", "=", productId)
    .where("day", "=", day)
    .execute();
  return db
    .selectFrom("daily_usage as u")
    .innerJoin("products as p", "p.id", "u.product_id")
    .innerJoin("organizations as o", "o.id", "p.organization_id")
    .select(["u.used", "p.organization_id", "o.plan", "o.billing_state", "o.daily_limit_override"])
    .where("u.product_id", "=", productId)
    .where("u.day", "=", day)
    .where("p.deleted_at", "is", null)
    .executeTakeFirst();
}

/** Whether this was recorded for the product since then. */
export async function wasRecordedSince(
  db: Database,
  organizationId: string,
  { product_id: productId, type }: Pick<QuotaCheckRow, "product_id" | "type">,
  sinceMs: number,
): Promise<boolean> {
  const recorded = await db
    .selectFrom("events")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("id", ">=", firstUuidAt(sinceMs))
    .where("product_id", "=", productId)
    .where("type", "=", type)
    .limit(1)
    .executeTakeFirst();
  return recorded !== undefined;
}
