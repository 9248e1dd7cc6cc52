import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { EventRow } from "../../tables/events.ts";
import type { QuotaNoticeRow } from "../../tables/products.ts";

export interface EventPosition {
  readonly at: number;
  readonly id: string;
}

/** Events about reached limits, oldest first, along their own index. */
export async function quotaEventsAfter(
  db: Database,
  after: EventPosition,
  limit: number,
): Promise<EventRow[]> {
  return (
    db
      .selectFrom("events")
      .selectAll()
      // With exactly this condition, because it selects the partial index.
      .where(sql<boolean>`type in ('quota.warning', 'quota.exhausted')`)
      .where((is) => is(is.refTuple("at", "id"), ">", is.tuple(after.at, after.id)))
      .orderBy("at")
      .orderBy("id")
      .limit(limit)
      .execute()
  );
}

/** Which of these are stored. */
export async function storedNotices(
  db: Database,
  notices: readonly QuotaNoticeRow[],
): Promise<QuotaNoticeRow[]> {
  if (notices.length === 0) return [];
  const each = <Name extends keyof QuotaNoticeRow>(name: Name) => [
    ...new Set(notices.map((notice) => notice[name])),
  ];
  return db
    .selectFrom("quota_notices")
    .selectAll()
    .where("organization_id", "in", each("organization_id"))
    .where("day", "in", each("day"))
    .where("product_id", "in", each("product_id"))
    .execute();
}

/** Returns whether this transaction stored it. */
export async function addNotice(db: Database, notice: QuotaNoticeRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("quota_notices")
    .values(notice)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** How many notices an organization has on a day; counted up to a limit. */
export async function countNotices(
  db: Database,
  organizationId: string,
  day: number,
  most: number,
): Promise<number> {
  const rows = await db
    .selectFrom("quota_notices")
    .select("product_id")
    .where("organization_id", "=", organizationId)
    .where("day", "=", day)
    .limit(most)
    .execute();
  return rows.length;
}
