import { type SqlBool, sql } from "kysely";
import type { Database } from "../store.ts";

/** From when on, in how many stretches of which length. */
export interface Stretches {
  readonly fromMs: number;
  readonly lengthMs: number;
  readonly count: number;
}

/** So many licenses are looked at: what lies behind them is not known. */
const mostLookedAt = 10_000;

/** How many licenses were made in each stretch; null where that is not known, which the oldest are first. */
export function licensesMade(db: Database, organizationId: string, stretches: Stretches) {
  return countAlong(db, organizationId, "created_at", "desc", stretches);
}

/** How many run out in each stretch; null where that is not known, which the latest are first. */
export function licensesRunningOut(db: Database, organizationId: string, stretches: Stretches) {
  return countAlong(db, organizationId, "ends_at", "asc", stretches);
}

async function countAlong(
  db: Database,
  organizationId: string,
  column: "created_at" | "ends_at",
  direction: "asc" | "desc",
  { fromMs, lengthMs, count }: Stretches,
): Promise<(number | null)[]> {
  const at = sql.ref<number>(column);
  const counts = column === "ends_at" ? sql<SqlBool>`revoked_at is null` : sql<SqlBool>`1 = 1`;
  const { rows } = await sql<{ stretch: number; looked: number; counted: number }>`
    select (at - cast(${fromMs} as bigint)) / cast(${lengthMs} as bigint) as stretch, count(*) as looked,
      sum(case when ${counts} and not exists (
        select 1 from products where products.id = found.product_id and products.deleted_at is not null
      ) then 1 else 0 end) as counted
    from (
      select ${at} as at, product_id, revoked_at from licenses
      where organization_id = ${organizationId} and ${at} >= ${fromMs} and ${at} < ${fromMs + count * lengthMs}
      order by ${at} ${sql.raw(direction)}, id ${sql.raw(direction)}
      limit ${mostLookedAt + 1}
    ) as found
    group by 1`.execute(db);
  const found = new Map(rows.map((row) => [Number(row.stretch), Number(row.counted)]));
  const isWhole = rows.reduce((sum, row) => sum + Number(row.looked), 0) <= mostLookedAt;
  // The stretch that was looked at last was not looked at to its end.
  const last = direction === "asc" ? Math.max(...found.keys()) : Math.min(...found.keys());
  const isKnown = (stretch: number) => isWhole || (direction === "asc" ? stretch < last : stretch > last);
  return Array.from({ length: count }, (_, stretch) => (isKnown(stretch) ? (found.get(stretch) ?? 0) : null));
}

/** What these products used of their quota since a day, by product and day. */
export async function usageSince(db: Database, productIds: readonly string[], day: number) {
  if (productIds.length === 0) return [];
  return db
    .selectFrom("daily_usage")
    .select(["product_id", "day", "used"])
    .where("product_id", "in", productIds)
    .where("day", ">=", day)
    .execute();
}
